import type { AttemptError, Run } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** How long the errors of failed attempts are kept. */
export const errorsCases: CasesByName = {
  'errors settled in one batch keep their own stacks': async (scene) => {
    await scene.submit('a', 'b', 'c', 'd');
    const at = await scene.now();
    const claimed = await scene.claim();

    await scene.settle(
      ...claimed.map(({ run }) =>
        run.id === 'b'
          ? settlementOf(run, { type: 'complete', at })
          : settlementOf(run, { type: 'retry', at, runAt: at }, { errors: [errorOf(run, at)] }),
      ),
    );

    const again = await scene.claim();
    equal(stacksOf(again.map(({ run }) => run)), ['at a 1', 'at c 1', 'at d 1']);
    equal(stacksOf(await scene.broker.get(['a', 'b', 'c', 'd'])), ['at a 1', undefined, 'at c 1', 'at d 1']);
  },

  'errors are kept by a later': /* @__PURE__ */ each(
    () => ['complete', 'cancel', 'drop', 'release'] as const,
    async (scene, type) => {
      const { run, errors } = await claimAfterFailure(scene);

      await scene.settleNow(type, run);

      equal((await scene.read('a')).errors, errors);
    },
  ),

  'errors are kept by a cancel request and by the cancellation': async (scene) => {
    const { run, errors } = await claimAfterFailure(scene);
    await cancelRuns(scene.broker, ['a']);
    const requested = await scene.read('a');

    await scene.settle(settlementOf(run, { type: 'retry', at: await scene.now(), runAt: 0 }));

    matches(requested, { state: 'started', isCancelRequested: true, errors });
    matches(await scene.read('a'), { state: 'cancelled', errors });
  },

  'errors are replaced by those of the next settlement': async (scene) => {
    const { run } = await claimAfterFailure(scene);
    const at = await scene.now();
    const errors = [{ epoch: 2, at, name: 'string', message: 'thrown' }];

    await scene.settle(settlementOf(run, { type: 'fail', at }, { errors }));

    equal((await scene.read('a')).errors, errors);
  },

  'errors keep the facts of their attempts': async (scene) => {
    const first = await scene.start('a');
    const at = await scene.now();
    const facts = [
      { code: 'ECONNRESET', causeCode: 'x'.repeat(64), status: 503, retryAfterMs: 1.5, durationMs: 0 },
      { code: 23_505, causeCode: -1, retryAfterMs: 'refused', durationMs: 7, isRedacted: true },
      { unrecorded: ['cause', 'label'], context: '00-a-b-01\n\nuser=ö' },
    ] as const;
    const more = { startedAt: at, worker: 'w/ö', reason: 'retried' } as const;
    const errors = facts.map((each) => ({ epoch: 1, at, name: 'Error', message: 'no', ...more, ...each }));

    await scene.settle(settlementOf(first, { type: 'retry', at, runAt: at }, { errors }));

    const again = await scene.claimOne();
    equal(again.errors, errors);
    await scene.settleNow('fail', again);
    equal((await scene.read('a')).errors, errors);
    equal((await scene.broker.list({ state: 'failed', limit: 1 })).runs[0]?.errors, errors);
  },

  'errors keep the number of runs that stalled together': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'StalledError', message: 'no heartbeat', stalledWith: 3 }];

    await scene.settle(settlementOf(run, { type: 'stall', at, isShared: true }, { errors }));

    matches(await scene.read('a'), { state: 'stalled', stalls: 0, releases: 1, errors });
    equal((await scene.broker.list({ state: 'stalled', limit: 1 })).runs[0]?.errors, errors);
  },

  'errors are removed by a redrive, and kept by one with keepAttempts': async (scene) => {
    const at = await scene.now();
    await scene.submit('a', 'b');
    const claimed = await scene.claim();
    await scene.settle(
      ...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }, { errors: [errorOf(run, at)] })),
    );

    await redriveRuns(scene.broker, ['a']);
    await redriveRuns(scene.broker, ['b'], { keepAttempts: true });

    matches(await scene.read('a'), { errors: [] });
    equal(stacksOf([await scene.read('b')]), ['at b 1']);
  },

  'errors are discarded with their run, and are not those of a new run with its id': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    await scene.settle(settlementOf(run, { type: 'fail', at }, { errors: [errorOf(run, at)] }));

    await discardRuns(scene.broker, ['a']);

    equal((await scene.start('a')).errors, []);
  },
};

/** A run that failed once, with a stack, and is claimed again. */
async function claimAfterFailure(
  scene: CaseScene,
): Promise<{ readonly run: Run; readonly errors: readonly AttemptError[] }> {
  const first = await scene.start('a');
  const at = await scene.now();
  const errors = [errorOf(first, at)];
  await scene.settle(settlementOf(first, { type: 'retry', at, runAt: at }, { errors }));
  return { run: await scene.claimOne(), errors };
}

function errorOf({ id, epoch }: Run, at: number): AttemptError {
  return { epoch, at, name: 'Error', message: `no. ${epoch}`, stack: `at ${id} ${epoch}` };
}

function stacksOf(runs: readonly (Run | undefined)[]): readonly (string | undefined)[] {
  return runs.map((run) => run?.errors.at(-1)?.stack);
}

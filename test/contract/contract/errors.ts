import type { AttemptError, Run } from '@retry/core/broker';
import { describe, expect, it } from 'vitest';
import type { Scene } from '../../support/broker-scene.ts';
import { settlementOf } from '../../support/settle.ts';

/** What failed attempts leave behind, and how long it stays. */
export function describeErrors(scene: Scene): void {
  describe('errors of attempts', () => {
    it('come back from one batch each with its own stack', async () => {
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
      expect(stacksOf(again.map(({ run }) => run))).toEqual(['at a 1', 'at c 1', 'at d 1']);
      expect(stacksOf(await scene.broker.get(['a', 'b', 'c', 'd']))).toEqual([
        'at a 1',
        undefined,
        'at c 1',
        'at d 1',
      ]);
    });

    it.each(['complete', 'cancel', 'drop', 'release'] as const)('outlast a later %s', async (type) => {
      const { run, errors } = await claimAfterFailure(scene);

      await scene.settle(settlementOf(run, { type, at: await scene.now() }));

      expect((await scene.read('a')).errors).toEqual(errors);
    });

    it('outlast a wish to cancel, and the end by it', async () => {
      const { run, errors } = await claimAfterFailure(scene);
      await scene.broker.cancel(['a']);
      const wished = await scene.read('a');

      await scene.settle(settlementOf(run, { type: 'retry', at: await scene.now(), runAt: 0 }));

      expect(wished).toMatchObject({ state: 'started', isCancelRequested: true, errors });
      expect(await scene.read('a')).toMatchObject({ state: 'cancelled', errors });
    });

    it('are replaced by what the next attempt leaves, with a stack or without', async () => {
      const { run } = await claimAfterFailure(scene);
      const at = await scene.now();
      const errors = [{ epoch: 2, at, name: 'string', message: 'thrown' }];

      await scene.settle(settlementOf(run, { type: 'fail', at }, { errors }));

      expect((await scene.read('a')).errors).toEqual(errors);
    });

    it('keep with how many others a run stalled', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      const errors = [{ epoch: 1, at, name: 'StalledError', message: 'no heartbeat', stalledWith: 3 }];

      await scene.settle(settlementOf(run, { type: 'stall', at, isShared: true }, { errors }));

      expect(await scene.read('a')).toMatchObject({ state: 'stalled', stalls: 0, releases: 1, errors });
      expect((await scene.broker.list({ state: 'stalled', limit: 1 }))[0]?.errors).toEqual(errors);
    });

    it('go with a redrive that resets the attempts, and stay with one that keeps them', async () => {
      const at = await scene.now();
      await scene.submit('a', 'b');
      const claimed = await scene.claim();
      await scene.settle(
        ...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }, { errors: [errorOf(run, at)] })),
      );

      await scene.broker.redrive(['a']);
      await scene.broker.redrive(['b'], { keepAttempts: true });

      expect(await scene.read('a')).toMatchObject({ errors: [] });
      expect(stacksOf([await scene.read('b')])).toEqual(['at b 1']);
    });

    it('go with a run that is discarded, and do not come back with another of its id', async () => {
      const run = await scene.start('a');
      const at = await scene.now();
      await scene.settle(settlementOf(run, { type: 'fail', at }, { errors: [errorOf(run, at)] }));

      await scene.broker.discard(['a']);

      expect((await scene.start('a')).errors).toEqual([]);
    });
  });
}

/** A run that failed once, with a stack, and is claimed again. */
async function claimAfterFailure(
  scene: Scene,
): Promise<{ readonly run: Run; readonly errors: readonly AttemptError[] }> {
  const first = await scene.start('a');
  const at = await scene.now();
  const errors = [errorOf(first, at)];
  await scene.settle(settlementOf(first, { type: 'retry', at, runAt: at }, { errors }));
  const [again] = await scene.claim();
  if (again === undefined) throw new Error('it was to be claimed again');
  return { run: again.run, errors };
}

function errorOf({ id, epoch }: Run, at: number): AttemptError {
  return { epoch, at, name: 'Error', message: `no. ${epoch}`, stack: `at ${id} ${epoch}` };
}

function stacksOf(runs: readonly (Run | undefined)[]): readonly (string | undefined)[] {
  return runs.map((run) => run?.errors.at(-1)?.stack);
}

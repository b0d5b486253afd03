import type { AttemptError } from '@retry/core/broker';
import { above, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What a settlement writes. */
export const settleCases: CasesByName = {
  'settle writes a result': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();

    const answers = await scene.settle(settlementOf(run, { type: 'complete', at }, { result: '{"sum":3}' }));

    equal(answers, ['ok']);
    matches(await scene.read('a'), {
      state: 'completed',
      epoch: 1,
      endedAt: at,
      result: '{"sum":3}',
      settledBy: '1:complete',
    });
  },

  'settle accepts the outcome of a lease that has expired, while no worker has recovered or claimed the run':
    async (scene) => {
      const run = await scene.start('a', { leaseMs: SHORT_MS });
      await scene.advance(PASS_MS);

      const answers = await scene.settleNow('complete', run);

      equal(answers, ['ok']);
      matches(await scene.read('a'), { state: 'completed', epoch: 1, stalls: 0 });
    },

  'settle writes the instants of a run that was read after its claim': async (scene) => {
    const { id, epoch, heartbeatAt = Infinity } = await scene.start('a');
    await scene.advance(5);
    await scene.broker.heartbeat([{ id, epoch }], LONG_MS);
    const run = await scene.read('a');
    above(run.heartbeatAt, heartbeatAt);

    await scene.settleNow('complete', run);

    const { submittedAt, firstStartedAt, runAt } = run;
    matches(await scene.read('a'), {
      ...{ submittedAt, firstStartedAt, runAt, heartbeatAt: run.heartbeatAt },
    });
  },

  'settle writes the counters, errors and delay that were decided': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const errors: readonly AttemptError[] = [
      { epoch: 1, at, name: 'TypeError', message: 'no "x"\nhere', stack: 'at a\n at b' },
    ];
    const event = { type: 'retry', at, runAt: at + LONG_MS } as const;

    await scene.settle(settlementOf(run, event, { errors, previousDelayMs: LONG_MS }));

    const kept = await scene.read('a');
    matches(kept, { state: 'scheduled', failures: 1, runAt: at + LONG_MS });
    matches(kept, { errors, previousDelayMs: LONG_MS, settledBy: '1:retry' });
  },

  'settle ends a run by %s as': /* @__PURE__ */ each(
    () =>
      [
        ['complete', 'completed'],
        ['fail', 'failed'],
        ['stall', 'stalled'],
        ['cancel', 'cancelled'],
        ['drop', 'dropped'],
        ['limit', 'rateLimited'],
      ] as const,
    async (scene, [type, state]) => {
      const run = await scene.start('a');

      const answers = await scene.settleNow(type, run);

      equal(answers, ['ok']);
      matches(await scene.read('a'), { state, epoch: 1 });
      strictEqual((await scene.broker.audit()).ended[state], 1);
      equal(await scene.claimIds(), []);
    },
  ),

  'settle puts a released run at the front of its lane, uncharged': async (scene) => {
    await scene.submit('a', 'b');
    const [first] = await scene.claim({ limit: 1 });

    await scene.settleNow('release', first);

    matches(await scene.read('a'), {
      state: 'submitted',
      failures: 0,
      stalls: 0,
      releases: 1,
    });
    equal(await scene.claimIds(), ['a', 'b']);
  },

  'settle keeps the order of runs that are released together': async (scene) => {
    await scene.submit('a', 'b', 'c', 'd');
    const claimed = await scene.claim({ limit: 3 });

    await scene.settleNow('release', ...claimed);

    equal(await scene.claimIds(), ['a', 'b', 'c', 'd']);
  },

  'settle puts a recovered run at the back of its lane': async (scene) => {
    await scene.submit('a', 'b');
    const [first] = await scene.claim({ limit: 1 });
    const at = await scene.now();
    const events = [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ] as const;

    if (first) await scene.settle(settlementOf(first.run, events));

    matches(await scene.read('a'), { state: 'submitted', stalls: 1 });
    equal(await scene.claimIds(), ['b', 'a']);
  },

  'settle schedules a run that met a rate limit': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();

    await scene.settle(settlementOf(run, { type: 'limit', at, runAt: at + LONG_MS }));

    matches(await scene.read('a'), { state: 'scheduled', rateLimits: 1, failures: 0 });
  },

  'settle answers a whole batch in order, each run independently': async (scene) => {
    await scene.submit('a', 'b');
    const [first, second] = await scene.claim();
    const at = await scene.now();
    if (!first || !second) throw new Error('two runs must be claimed');
    const complete = { type: 'complete', at } as const;
    const stale = { ...settlementOf(second.run, complete), epoch: 7 };

    const answers = await scene.settle(
      stale,
      settlementOf(first.run, complete),
      settlementOf({ ...first.run, id: 'unknown' }, complete),
      settlementOf(first.run, complete),
      settlementOf(second.run, complete),
    );

    equal(answers, ['fenced', 'ok', 'gone', 'already', 'ok']);
  },

  'settle answers gone for an unknown run': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();

    const answers = await scene.settle(settlementOf({ ...run, id: 'unknown' }, { type: 'complete', at }));

    equal(answers, ['gone']);
    equal(await scene.broker.get(['unknown']), [undefined]);
  },
};

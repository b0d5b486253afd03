import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { untilUnlocked } from '../operate/requests.ts';
import { settlementOf } from '../settlement-of.ts';

/** Cancel requests that meet a settlement, a redrive or a claim (fault F23). */
export const cancelRacesCases: CasesByName = {
  'cancel request does not undo a completion by a worker that had not seen it': async (scene) => {
    const run = await scene.start('a');
    await cancelRuns(scene.broker, ['a']);

    const answers = await scene.settleNow('complete', run);

    equal(answers, ['ok']);
    strictEqual((await scene.read('a')).state, 'completed');
  },

  'cancel request lets the worker that saw it cancel the run': async (scene) => {
    const run = await scene.start('a');
    await cancelRuns(scene.broker, ['a']);

    const answers = await scene.settleNow('cancel', run);

    equal(answers, ['ok']);
    matches(await scene.read('a'), { state: 'cancelled', settledBy: '1:cancel' });
  },

  'cancel request ends the run after %s: no further attempt starts': /* @__PURE__ */ each(
    () =>
      [
        ['a retry that is due immediately', (at: number): RunEvent => ({ type: 'retry', at, runAt: at }), 1],
        ['a retry for later', (at: number): RunEvent => ({ type: 'retry', at, runAt: at + LONG_MS }), 1],
        ['a rate limit', (at: number): RunEvent => ({ type: 'limit', at, runAt: at + LONG_MS }), 0],
        ['a release', (at: number): RunEvent => ({ type: 'release', at }), 0],
        ['a release for later', (at: number): RunEvent => ({ type: 'release', at, runAt: at + LONG_MS }), 0],
      ] as const,
    async (scene, [_name, event, failures]) => {
      const run = await scene.start('a');
      await cancelRuns(scene.broker, ['a']);
      const settlement = settlementOf(run, event(await scene.now()));

      const answers = await scene.settle(settlement);

      equal(answers, ['ok']);
      matches(await scene.read('a'), { state: 'cancelled', epoch: 1, failures });
      equal(await scene.claimIds(), []);
      equal(await scene.settle(settlement), ['already']);
    },
  ),

  'cancel request ends a run that a cleaner recovers': async (scene) => {
    await scene.start('a');
    await cancelRuns(scene.broker, ['a']);
    const run = await scene.read('a');
    const at = await scene.now();
    const events = [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ] as const;

    await scene.settle(settlementOf(run, events));

    matches(await scene.read('a'), { state: 'cancelled', stalls: 1 });
  },

  'cancel ends a retry that waits in its lane': async (scene) => {
    await scene.settleNow('retry', await scene.start('a'));

    equal(await cancelRuns(scene.broker, ['a']), ['cancelled']);
    equal(await scene.claimIds(), []);
  },

  'cancel request ends with its claim: a redriven run has none': async (scene) => {
    await scene.start('a');
    await cancelRuns(scene.broker, ['a']);
    const requested = await scene.read('a');
    await scene.settleNow('fail', requested);
    await redriveRuns(scene.broker, ['a']);
    const [claimed] = await scene.claim();

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 2 }], LONG_MS);

    strictEqual(claimed?.run.epoch, 2);
    equal(answers, ['ok']);
  },

  'cancel ends a redriven run that waits in its lane': async (scene) => {
    await scene.settleNow('fail', await scene.start('a'));
    await redriveRuns(scene.broker, ['a']);

    equal(await cancelRuns(scene.broker, ['a']), ['cancelled']);
    equal(await redriveRuns(scene.broker, ['a']), ['refused']);
  },

  'cancel takes effect either before or after a concurrent claim': async (scene) => {
    await scene.submit('a');

    const [[answer], claimed] = await Promise.all([
      untilUnlocked(['a'], (ids) => cancelRuns(scene.broker, ids)),
      scene.claimIds(),
    ]);

    equal(claimed, answer === 'cancelled' ? [] : ['a']);
    strictEqual(answer === 'cancelled' || answer === 'requested', true);
  },
};

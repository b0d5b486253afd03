import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What comes of a wish to cancel that meets something else (fault F23). */
export const cancelRacesCases: CasesByName = {
  'races to cancel leaves a run completed whose worker had not heard': async (scene) => {
    const run = await scene.start('a');
    await scene.broker.cancel(['a']);

    const answers = await scene.settle(settlementOf(run, { type: 'complete', at: await scene.now() }));

    equal(answers, ['ok']);
    strictEqual((await scene.read('a')).state, 'completed');
  },

  'races to cancel lets the worker that heard cancel the run': async (scene) => {
    const run = await scene.start('a');
    await scene.broker.cancel(['a']);

    const answers = await scene.settle(settlementOf(run, { type: 'cancel', at: await scene.now() }));

    equal(answers, ['ok']);
    matches(await scene.read('a'), { state: 'cancelled', settledBy: '1:cancel' });
  },

  'races to cancel cancels after %s: no further attempt starts': /* @__PURE__ */ each(
    [
      ['a retry that is due at once', (at: number): RunEvent => ({ type: 'retry', at, runAt: at }), 1],
      ['a retry for later', (at: number): RunEvent => ({ type: 'retry', at, runAt: at + LONG_MS }), 1],
      ['a rate limit', (at: number): RunEvent => ({ type: 'limit', at, runAt: at + LONG_MS }), 0],
      ['a release', (at: number): RunEvent => ({ type: 'release', at }), 0],
    ] as const,
    async (scene, [_name, event, failures]) => {
      const run = await scene.start('a');
      await scene.broker.cancel(['a']);
      const settlement = settlementOf(run, event(await scene.now()));

      const answers = await scene.settle(settlement);

      equal(answers, ['ok']);
      matches(await scene.read('a'), { state: 'cancelled', epoch: 1, failures });
      equal(await scene.claimIds(), []);
      equal(await scene.settle(settlement), ['already']);
    },
  ),

  'races to cancel cancels a run that a cleaner sends back': async (scene) => {
    await scene.start('a');
    await scene.broker.cancel(['a']);
    const run = await scene.read('a');
    const at = await scene.now();
    const events = [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at },
    ] as const;

    await scene.settle(settlementOf(run, events));

    matches(await scene.read('a'), { state: 'cancelled', stalls: 1 });
  },

  'races to cancel cancels a retry that waits': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    await scene.settle(settlementOf(run, { type: 'retry', at, runAt: at }));

    equal(await scene.broker.cancel(['a']), ['cancelled']);
    equal(await scene.claimIds(), []);
  },

  'races to cancel is forgotten with the claim that it was about: a redrive starts afresh': async (scene) => {
    await scene.start('a');
    await scene.broker.cancel(['a']);
    const asked = await scene.read('a');
    await scene.settle(settlementOf(asked, { type: 'fail', at: await scene.now() }));
    await scene.broker.redrive(['a']);
    const [claimed] = await scene.claim();

    const answers = await scene.broker.heartbeat([{ id: 'a', epoch: 2 }], LONG_MS);

    strictEqual(claimed?.run.epoch, 2);
    equal(answers, ['ok']);
  },

  'races to cancel cancels a redriven run that waits': async (scene) => {
    const run = await scene.start('a');
    await scene.settle(settlementOf(run, { type: 'fail', at: await scene.now() }));
    await scene.broker.redrive(['a']);

    equal(await scene.broker.cancel(['a']), ['cancelled']);
    equal(await scene.broker.redrive(['a']), ['refused']);
  },

  'races to cancel meets a claim before or after it, never in between': async (scene) => {
    await scene.submit('a');

    const [[answer], claimed] = await Promise.all([scene.broker.cancel(['a']), scene.claimIds()]);

    equal(claimed, answer === 'cancelled' ? [] : ['a']);
    strictEqual(answer === 'cancelled' || answer === 'requested', true);
  },
};

import { cancelRuns, redriveRuns } from '@retry/core/broker/kit';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import type { CaseScene } from '../case-scene.ts';
import { failEach } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What `redrive` does. */
export const redriveCases: CasesByName = {
  'redrive returns a run to its lane after': /* @__PURE__ */ each(
    () => ['fail', 'stall', 'limit'] as const,
    async (scene, type) => {
      await scene.settleNow(type, await scene.start('a'));

      const answers = await redriveRuns(scene.broker, ['a']);

      equal(answers, ['redriven']);
      matches(await scene.read('a'), { state: 'submitted', redrives: 1 });
      equal(await scene.claimIds(), ['a']);
    },
  ),

  'redrive resets the attempts, and keeps the epoch': async (scene) => {
    await fail(scene, 'a');

    await redriveRuns(scene.broker, ['a']);

    const run = await scene.read('a');
    const fresh = {
      epoch: 2,
      resetEpoch: 2,
      failures: 0,
      stalls: 0,
      releases: 0,
      rateLimits: 0,
      errors: [],
    };
    matches(run, fresh);
    strictEqual(run.previousDelayMs, undefined);
    strictEqual(run.deadContext, 'trace of no. 2');
    strictEqual((await scene.claim())[0]?.run.epoch, 3);
  },

  'redrive keeps the trace context of the dead letter through the next attempts, and through another redrive':
    async (scene) => {
      await fail(scene, 'a');
      await redriveRuns(scene.broker, ['a']);
      const third = await scene.claimOne();
      strictEqual(third.deadContext, 'trace of no. 2');

      await scene.settleNow('limit', third);
      await redriveRuns(scene.broker, ['a']);

      strictEqual((await scene.claim())[0]?.run.deadContext, 'trace of no. 2');
    },

  'redrive with keepAttempts resets nothing': async (scene) => {
    await fail(scene, 'a');
    const { errors } = await scene.read('a');

    await redriveRuns(scene.broker, ['a'], { keepAttempts: true });

    const kept = { epoch: 2, resetEpoch: 0, failures: 2, redrives: 1, errors, previousDelayMs: 5 };
    matches(await scene.read('a'), kept);
  },

  'redrive puts runs at the back of their lanes, in the order of the ids': async (scene) => {
    await failEach(scene, 'a', 'b');
    await scene.submit('c');

    await redriveRuns(scene.broker, ['b', 'a']);

    equal(await scene.claimIds(), ['c', 'b', 'a']);
  },

  'redrive refuses a run that waits, is started, or ended otherwise': async (scene) => {
    const completed = await scene.start('completed');
    const dropped = await scene.start('dropped');
    await scene.settleNow('complete', completed);
    await scene.settleNow('drop', dropped);
    await scene.start('started');
    await scene.submit('cancelled', 'waiting', { id: 'scheduled', delayMs: 60_000 });
    await cancelRuns(scene.broker, ['cancelled']);
    const ids = ['completed', 'dropped', 'started', 'cancelled', 'waiting', 'scheduled'];
    const before = await scene.broker.get(ids);

    const answers = await redriveRuns(scene.broker, ids);

    equal(
      answers,
      ids.map(() => 'refused'),
    );
    equal(await scene.broker.get(ids), before);
  },

  'redrive answers a whole batch in order, and redrives a repeated id once': async (scene) => {
    await fail(scene, 'a');

    equal(await redriveRuns(scene.broker, ['unknown', 'a', 'a']), ['gone', 'redriven', 'refused']);
    equal(await redriveRuns(scene.broker, []), []);
    equal(await scene.claimIds(), ['a']);
  },
};

async function fail(scene: CaseScene, id: string): Promise<void> {
  await scene.settleNow('retry', await scene.start(id));
  const at = await scene.now();
  const errors = [1, 2].map((epoch) => ({
    ...{ epoch, at, name: 'Error', message: `no. ${epoch}` },
    context: `trace of no. ${epoch}`,
  }));
  const second = await scene.claimOne();
  await scene.settle(settlementOf(second, { type: 'fail', at }, { errors, previousDelayMs: 5 }));
}

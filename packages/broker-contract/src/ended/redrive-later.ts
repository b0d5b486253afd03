import { discardRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import { equal, matches, rejectsWith, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { failEach, LONG_MS } from '../case-scene.ts';

/** What `redrive` and `discard` do with due times, and with runs that have changed since an instant. */
export const redriveLaterCases: CasesByName = {
  'redrive puts a run that is due later onto the schedule, and keeps when it was submitted': async (
    scene,
  ) => {
    await failEach(scene, 'a', 'b', 'c');
    const before = await scene.read('a');
    const runAt = (await scene.now()) + 2 * LONG_MS;

    const answers = await redriveRuns(scene.broker, ['a', 'b', 'c'], { runAts: new Map([['a', runAt]]) });

    equal(answers, ['redriven', 'redriven', 'redriven']);
    const { epoch, submittedAt, createdAt } = before;
    const fresh = { failures: 0, errors: [], redrives: 1, resetEpoch: 1 };
    matches(await scene.read('a'), {
      ...{ state: 'scheduled', runAt, epoch, submittedAt, createdAt },
      ...fresh,
    });
    equal(await scene.claimIds(), ['b', 'c']);
    matches(await scene.broker.audit(), { submitted: 0, scheduled: 1, started: 2 });
  },

  'redrive starts a run that is due later when it is due, and not earlier': async (scene) => {
    await failEach(scene, 'a');
    const runAt = (await scene.now()) + LONG_MS;
    await redriveRuns(scene.broker, ['a'], { runAts: new Map([['a', runAt]]), keepAttempts: true });
    matches(await scene.read('a'), { state: 'scheduled', failures: 1, resetEpoch: 0 });
    await rescheduleRuns(scene.broker, [{ id: 'a', delayMs: 1_500 }]);

    equal(await scene.claimIds(), []);
    await scene.advancePast((await scene.read('a')).runAt ?? 0);
    equal(await scene.claimIds(), ['a']);
  },

  'redrive with a due time that is past sends the run to its lane': async (scene) => {
    await failEach(scene, 'a', 'b');
    const at = await scene.now();
    const runAts = new Map([
      ['a', at - LONG_MS],
      ['b', -1],
    ]);

    await redriveRuns(scene.broker, ['a', 'b'], { runAts });

    const run = await scene.read('a');
    strictEqual(run.state, 'submitted');
    strictEqual(run.runAt, run.submittedAt);
    equal(await scene.claimIds(), ['a', 'b']);
  },

  'redrive keeps a due time that has fractions, rounded up': async (scene) => {
    await failEach(scene, 'a');
    const runAt = Math.floor(await scene.now()) + LONG_MS;

    await redriveRuns(scene.broker, ['a'], { runAts: new Map([['a', runAt - 0.25]]) });

    strictEqual((await scene.read('a')).runAt, runAt);
  },

  'redrive refuses a run that ended at endedBefore or later': async (scene) => {
    await failEach(scene, 'a');
    const { endedAt = 0 } = await scene.read('a');

    equal(await redriveRuns(scene.broker, ['a'], { endedBefore: endedAt }), ['refused']);
    equal(await redriveRuns(scene.broker, ['a', 'x'], { endedBefore: endedAt + 1 }), ['redriven', 'gone']);
  },

  'discard refuses a run that ended at endedBefore or later': async (scene) => {
    await failEach(scene, 'a');
    const { endedAt = 0 } = await scene.read('a');

    equal(await discardRuns(scene.broker, ['a'], { endedBefore: endedAt }), ['refused']);
    equal(await discardRuns(scene.broker, ['a', 'x'], { endedBefore: endedAt + 1 }), ['discarded', 'gone']);
  },

  'redrive and discard refuse a run that has been redriven, and has ended again, since it was selected':
    async (scene) => {
      await failEach(scene, 'a');
      const ends = new Map([['a', await scene.read('a')]]);
      await redriveRuns(scene.broker, ['a'], { ends });
      const [again] = await scene.claim();
      // It ends at the same instant as before.
      const at = ends.get('a')?.endedAt ?? 0;
      await scene.settleNow(() => ({ type: 'fail', at }), again);

      equal(await redriveRuns(scene.broker, ['a', 'x'], { ends }), ['refused', 'gone']);
      equal(await discardRuns(scene.broker, ['a', 'x'], { ends }), ['refused', 'gone']);
      const now = new Map([['a', await scene.read('a')]]);
      equal(await discardRuns(scene.broker, ['a'], { ends: now }), ['discarded']);
    },

  'redrive and discard refuse a run of an id that was forgotten, and submitted again, since it was selected':
    async (scene) => {
      await failEach(scene, 'a');
      const ends = new Map([['a', await scene.read('a')]]);
      await discardRuns(scene.broker, ['a'], { ends });
      await scene.advancePast(ends.get('a')?.endedAt ?? 0);
      await failEach(scene, 'a');

      equal(await redriveRuns(scene.broker, ['a'], { ends }), ['refused']);
      equal(await discardRuns(scene.broker, ['a'], { ends }), ['refused']);
    },

  'redrive and discard reject instants that are no numbers, and change nothing': async (scene) => {
    await failEach(scene, 'a');

    const runAts = new Map([['a', Number.NaN]]);

    const code = 'INVALID_OPTIONS';
    await rejectsWith(redriveRuns(scene.broker, ['a'], { runAts }), { code });
    await rejectsWith(redriveRuns(scene.broker, ['a'], { endedBefore: Number.NaN }), { code });
    await rejectsWith(discardRuns(scene.broker, ['a'], { endedBefore: Number.NaN }), { code });
    const ends = new Map([['a', { endedAt: Number.NaN, redrives: 0 }]]);
    await rejectsWith(redriveRuns(scene.broker, ['a'], { ends }), { code });
    await rejectsWith(discardRuns(scene.broker, ['a'], { ends }), { code });
    strictEqual((await scene.read('a')).state, 'failed');
  },
};

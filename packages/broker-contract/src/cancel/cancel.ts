import { cancelRuns } from '@retry/core/broker/kit';
import { above, equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';

/** What `cancel` does to a run in each state. */
export const cancelCases: CasesByName = {
  'cancel ends a waiting run immediately': async (scene) => {
    await scene.submit('a', 'b', 'c');

    const answers = await cancelRuns(scene.broker, ['b']);

    const run = await scene.read('b');
    equal(answers, ['cancelled']);
    matches(run, { state: 'cancelled', epoch: 0 });
    above(run.endedAt, 0);
    equal(await scene.claimIds(), ['a', 'c']);
  },

  'cancel ends the first and the last run of a lane': async (scene) => {
    await scene.submit('a', 'b', 'c');

    await cancelRuns(scene.broker, ['a', 'c']);
    await scene.submit('d');

    equal(await scene.claimIds(), ['b', 'd']);
  },

  'cancel ends a scheduled run immediately': async (scene) => {
    const now = await scene.now();
    await scene.submit({ id: 'a', runAt: now + 1 }, { id: 'b', runAt: now + 2 }, { id: 'c', runAt: now + 3 });

    const answers = await cancelRuns(scene.broker, ['b', 'a']);

    await scene.advance(10);
    equal(answers, ['cancelled', 'cancelled']);
    equal(await scene.claimIds(), ['c']);
    matches(await scene.broker.audit(), { scheduled: 0, ended: { cancelled: 2 } });
  },

  'cancel requests the cancellation of a started run, which keeps running': async (scene) => {
    await scene.start('a');

    const answers = await cancelRuns(scene.broker, ['a']);

    equal(answers, ['requested']);
    matches(await scene.read('a'), { state: 'started', epoch: 1, isCancelRequested: true });
    equal(await cancelRuns(scene.broker, ['a']), ['requested']);
  },

  'cancel answers ended for a run that has ended': async (scene) => {
    await scene.submit('a');
    await cancelRuns(scene.broker, ['a']);

    equal(await cancelRuns(scene.broker, ['a']), ['ended']);
  },

  'cancel answers a whole batch in order': async (scene) => {
    await scene.start({ id: 'started', lane: 'm' });
    await scene.submit('waiting', { id: 'scheduled', delayMs: LONG_MS });

    const ids = ['unknown', 'scheduled', 'started', 'waiting', 'waiting'];

    equal(await cancelRuns(scene.broker, ids), ['gone', 'cancelled', 'requested', 'cancelled', 'ended']);
    equal(await cancelRuns(scene.broker, []), []);
  },
};

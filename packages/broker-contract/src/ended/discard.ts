import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';

/** What `discard` forgets. */
export const discardCases: CasesByName = {
  'discard forgets a run that was ended by': /* @__PURE__ */ each(
    () => ['complete', 'fail', 'stall', 'cancel', 'drop', 'limit'] as const,
    async (scene, type) => {
      await scene.settleNow(type, await scene.start('a'));

      const answers = await discardRuns(scene.broker, ['a']);

      equal(answers, ['discarded']);
      equal(await scene.broker.get(['a']), [undefined]);
      matches(await scene.broker.audit(), { created: 1, forgotten: 1, unbalanced: 0 });
    },
  ),

  'discard refuses a run that has not ended, and answers in order': async (scene) => {
    await scene.start({ id: 'started', lane: 'm' });
    await scene.submit('waiting', { id: 'scheduled', delayMs: 60_000 }, 'ended');
    await cancelRuns(scene.broker, ['ended']);

    const answers = await discardRuns(scene.broker, [
      'started',
      'ended',
      'waiting',
      'scheduled',
      'unknown',
      'ended',
    ]);

    equal(answers, ['refused', 'discarded', 'refused', 'refused', 'gone', 'gone']);
    equal(await discardRuns(scene.broker, []), []);
    matches(await scene.broker.audit(), {
      submitted: 1,
      scheduled: 1,
      started: 1,
      forgotten: 1,
    });
  },

  'discard frees the id for another run': async (scene) => {
    await scene.submit('a');
    await cancelRuns(scene.broker, ['a']);
    await discardRuns(scene.broker, ['a']);

    equal(await scene.broker.submit([{ id: 'a', lane: 'l', payload: '2' }]), ['created']);
    matches(await scene.read('a'), { state: 'submitted', payload: '2', epoch: 0 });
    matches(await scene.broker.audit(), { created: 2, submitted: 1, forgotten: 1 });
  },

  'discard leaves nothing in the lane that keeps another run of the id from starting': async (scene) => {
    await scene.submit('a');
    await cancelRuns(scene.broker, ['a']);
    await discardRuns(scene.broker, ['a']);
    await scene.submit({ id: 'a', delayMs: 20 });
    await scene.advance(40);

    equal(await scene.claimIds(), ['a']);
  },
};

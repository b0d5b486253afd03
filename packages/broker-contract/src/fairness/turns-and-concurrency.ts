import { cancelRuns } from '@retry/core/broker/kit';
import { equal } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import type { SubmissionInput } from '../case-scene.ts';
import { keyed } from './keyed.ts';

const one = { key: 'k', limit: 1, whenFull: 'wait' } as const;

/** Turns beside concurrency keys, and limits of tasks. */
export const fairnessAndConcurrencyCases: CasesByName = {
  'fairness: a run that is put aside passes its turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 'b1', 'b2'));

    const claimed = await scene.claimIds();
    await scene.settleNow('complete', 't1');

    equal(claimed, ['t1', 'b1', 'b2', 't3']);
    equal(await scene.claimIds(), ['t2']);
  },

  'fairness: a run that was put aside comes back where it was, and passes no turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 't4', 't5'));
    const claimed = await scene.claimIds({ limit: 2 });
    await scene.settleNow('complete', 't1');
    const returned = await scene.claimIds({ limit: 1 });
    await scene.submit('p');

    equal([claimed, returned], [['t1', 't3'], ['t2']]);
    equal(await scene.claimIds(), ['t4', 'p', 't5']);
  },

  'fairness: a run that is put aside and cancelled passes no turn on': async (scene) => {
    await scene.submit(...limited('t1', 't2'), ...keyed('t3', 't4', 't5'));
    await scene.claimIds({ limit: 2 });
    await cancelRuns(scene.broker, ['t2']);
    await scene.submit('p');

    equal(await scene.claimIds(), ['t4', 'p', 't5']);
  },

  'fairness: runs of one fairness key and one concurrency key start one after another': async (scene) => {
    await scene.submit(...limited('t1', 't2', 't3', 't4'));

    const claimed: string[] = [];
    for (let round = 0; round < 4; round++) {
      const [id = 'none', ...others] = await scene.claimIds();
      claimed.push(id, ...others);
      await scene.settleNow('complete', id);
    }

    equal(claimed, ['t1', 't2', 't3', 't4']);
  },

  'fairness: runs over a limit that is no reason to wait are claimed by turn': async (scene) => {
    const concurrency = { ...one, whenFull: 'claim' } as const;
    await scene.submit(...keyed('t1', 't2', 'b1').map((run) => ({ ...run, concurrency })));

    const claimed = await scene.claim();

    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['t1', false],
        ['b1', true],
        ['t2', true],
      ],
    );
  },

  'fairness: the limit of a task takes runs by turn': async (scene) => {
    const concurrency = new Map([['l', { limit: 1, whenFull: 'wait' as const }]]);
    await scene.submit(...keyed('t1', 't2', 't3', 'b1'));

    const claimed: string[] = [];
    for (let round = 0; round < 4; round++) {
      const [id = 'none', ...others] = await scene.claimIds({ concurrency });
      claimed.push(id, ...others);
      await scene.settleNow('complete', id);
    }

    equal(claimed, ['t1', 'b1', 't2', 't3']);
  },

  'fairness: a retry that keeps its slot comes back by turn': async (scene) => {
    const concurrency = { ...one, holdWhileRetrying: true };
    await scene.submit(...keyed('t1', 't2').map((run) => ({ ...run, concurrency })), ...keyed('t3', 'b1'));
    const first = await scene.claimIds({ limit: 1 });
    await scene.settleNow('retry', 't1');

    const claimed = await scene.claimIds();
    await scene.settleNow('complete', 't1');

    equal([first, claimed], [['t1'], ['b1', 't3', 't1']]);
    equal(await scene.claimIds(), ['t2']);
  },
};

function limited(...ids: readonly string[]): readonly SubmissionInput[] {
  return keyed(...ids).map((run) => ({ ...run, concurrency: one }));
}

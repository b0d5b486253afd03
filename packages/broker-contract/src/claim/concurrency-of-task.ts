import { cancelRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { retryIn } from '../settlement-of.ts';
import { limitedTo, waitForSlotOf } from './limited-lane.ts';

/** Runs of lane `l` that were submitted under this limit of their task. */
const under = (limit: number, ...ids: readonly string[]) =>
  ids.map((id) => ({ id, concurrency: { key: 'l', limit, whenFull: 'wait' } as const }));

/** The limit of a lane that a claim brings along: it is that of the executing task, whatever runs were submitted with. */
export const concurrencyOfTaskCases: CasesByName = {
  'a claim that limits its lane starts at most as many runs, also of those that were submitted without a limit':
    async (scene) => {
      await scene.submit('a', 'b', 'c', 'd');

      equal(await scene.claimIds(limitedTo(2)), ['a', 'b']);
      equal(await scene.claimIds(limitedTo(2, { worker: 'other' })), []);
      matches(await scene.broker.audit(), { started: 2, submitted: 2 });
    },

  'a claim that limits its lane lowers the limit that runs were submitted with': async (scene) => {
    await scene.submit(...under(8, 'a', 'b', 'c'), 'd');

    equal(await scene.claimIds(limitedTo(2)), ['a', 'b']);
    equal(await scene.claimIds(limitedTo(2)), []);
  },

  'a claim that limits its lane raises the limit, also of runs that have found it full, in their order':
    async (scene) => {
      await scene.submit(...under(1, 'a', 'b', 'c', 'd', 'e'));
      const before = [await scene.claimIds(limitedTo(1)), await scene.claimIds(limitedTo(1))];
      await scene.submit('f');

      equal(before, [['a'], []]);
      equal(await scene.claimIds(limitedTo(4)), ['b', 'c', 'd']);
      equal(await scene.claimIds(limitedTo(5)), ['e']);
      equal(await scene.claimIds(limitedTo(8)), ['f']);
    },

  'claims that limit a lane differently each keep to their own number, whoever started what runs': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c', 'd', 'e');
    const [a, b, c] = await scene.claim(limitedTo(3, { worker: 'lax' }));
    const strict = limitedTo(2, { worker: 'strict' });
    const full = await scene.claimIds(strict);
    await scene.settleNow('complete', a);
    const stillFull = await scene.claimIds(strict);
    await scene.settleNow('complete', b);

    equal([full, stillFull], [[], []]);
    equal(await scene.claimIds(strict), ['d']);
    equal(await scene.claimIds(strict), []);
    await scene.settleNow('complete', c);
    equal(await scene.claimIds(limitedTo(1)), []);
    equal(await scene.claimIds(limitedTo(3)), ['e']);
  },

  'a claim that limits its lane finds a free slot again after each end of a run that had none before': async (
    scene,
  ) => {
    await scene.submit('a', 'b', 'c');
    const [a] = await scene.claim(limitedTo(1));
    const full = await scene.claimIds(limitedTo(1));
    await scene.settleNow(retryIn(LONG_MS), a);
    const [b] = await scene.claim(limitedTo(1));
    await scene.settleNow('complete', b);

    equal([a?.run.id, full, b?.run.id], ['a', [], 'b']);
    equal(await scene.claimIds(limitedTo(1)), ['c']);
  },

  'a claim that limits its lane returns the run with that limit, and keeps payload and extras': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', payload: '"x"', context: 'trace' }, 'b');

    const [a] = await scene.claim(limitedTo(1));
    await scene.claim(limitedTo(1));

    const concurrency = { key: 'l', limit: 1, whenFull: 'wait' };
    matches(a?.run, { id: 'a', payload: '"x"', context: 'trace', concurrency });
    matches(await scene.read('a'), { payload: '"x"', context: 'trace', concurrency });
    matches(await scene.read('b'), { state: 'submitted', payload: '{}', concurrency });
  },

  'a claim that limits its lane marks what is over the limit, if it is to be claimed': async (scene) => {
    await scene.submit(...under(8, 'a'), 'b', 'c');

    const claimed = await scene.claim(limitedTo(1, { whenFull: 'claim' }));

    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['a', false],
        ['b', true],
        ['c', true],
      ],
    );
  },

  'a claim that limits its lane leaves runs with other keys theirs': async (scene) => {
    const concurrency = { key: 'k', limit: 2, whenFull: 'wait' } as const;
    await scene.submit('a', ...['b', 'c', 'd'].map((id) => ({ id, concurrency })), 'e');

    equal(await scene.claimIds(limitedTo(4)), ['a', 'b', 'c', 'e']);
    matches(await scene.read('b'), { concurrency });
  },

  'a wait for work goes on while all runs wait for the limit of their lane, and ends with a free slot':
    async (scene) => {
      await scene.submit('a', 'b');
      const [a] = await scene.claim(limitedTo(1));
      await scene.claim(limitedTo(1));

      await waitForSlotOf(scene, a);

      equal(await scene.claimIds(limitedTo(1)), ['b']);
    },

  'a claim that limits its lane limits no other one': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', lane: 'm' }, { id: 'd', lane: 'm' });

    equal(await scene.claimIds(limitedTo(1, { lanes: ['m', 'l'] })), ['c', 'd', 'a']);
  },

  'a run that waits for the limit of its lane can be cancelled, and the others go on': async (scene) => {
    await scene.submit('a', ...under(8, 'b'), 'c');
    const [a] = await scene.claim(limitedTo(1));
    await scene.claim(limitedTo(1));

    const answers = await cancelRuns(scene.broker, ['b']);
    await scene.settleNow('complete', a);

    equal(answers, ['cancelled']);
    equal(await scene.claimIds(limitedTo(1)), ['c']);
  },

  'a claim that limits its lane may be repeated': async (scene) => {
    await scene.submit('a', 'b');
    const input = limitedTo(1, { requestId: 'same' });

    equal(await scene.claimIds(input), ['a']);
    equal(await scene.claimIds(input), ['a']);
  },
};

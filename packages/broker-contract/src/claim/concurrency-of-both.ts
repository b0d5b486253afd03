import type { Concurrency } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import type { Happening } from '../settlement-of.ts';
import { limitedTo, waitForSlotOf } from './limited-lane.ts';

/** A run with a key of its own: at most one of these at a time, unless a limit is given. */
const keyed = (id: string, key: string, others: Partial<Concurrency> & { readonly lane?: string } = {}) => {
  const { lane = 'l', ...ofKey } = others;
  return { id, lane, concurrency: { key, limit: 1, whenFull: 'wait', ...ofKey } as const };
};

/** Ways in which a started run frees its slots. */
const FREED: readonly (readonly [name: string, happening: Happening])[] = [
  ['complete', 'complete'],
  ['fail', 'fail'],
  ['retry', (at) => ({ type: 'retry', at, runAt: at + LONG_MS })],
  ['stall', 'stall'],
];

/** A run with a key of its own in a lane that claims limit: it needs a slot of both. */
export const concurrencyOfBothCases: CasesByName = {
  'a run with a key of its own needs a slot of its lane, too, where the claim limits that': async (scene) => {
    await scene.submit(keyed('a', 'ka'), keyed('b', 'kb'), 'c', keyed('d', 'kd'), 'e');

    equal(await scene.claimIds(limitedTo(2)), ['a', 'b']);
    equal(await scene.claimIds(limitedTo(2, { worker: 'other' })), []);
    equal(await scene.claimIds(limitedTo(4)), ['c', 'd']);
    matches(await scene.broker.audit(), { started: 4, submitted: 1 });
  },

  'a run with a key of its own waits for that where its lane has a free slot, and others pass it': async (
    scene,
  ) => {
    await scene.submit(keyed('a', 'k'), keyed('b', 'k'), keyed('c', 'k'), 'd');

    equal(await scene.claimIds(limitedTo(3)), ['a', 'd']);
    matches(await scene.read('b'), { concurrency: { key: 'k', limit: 1 } });
  },

  'a run that waits for its lane takes no slot of its own key': async (scene) => {
    await scene.submit('a', keyed('b', 'k'), keyed('c', 'k', { lane: 'm' }));
    const [a] = await scene.claim(limitedTo(1));
    const full = await scene.claimIds(limitedTo(1));
    const [c] = await scene.claim({ lanes: ['m'] });
    await scene.settleNow('complete', a);
    const ofKey = await scene.claimIds(limitedTo(1));
    await scene.settleNow('complete', c);

    equal([full, c?.run.id, ofKey], [[], 'c', []]);
    equal(await scene.claimIds(limitedTo(1)), ['b']);
  },

  'a run that has waited for its lane and finds its own key full lets the next one start': async (scene) => {
    await scene.submit('a', keyed('b', 'k'), keyed('c', 'k'), keyed('d', 'j'), 'e');
    const [a] = await scene.claim(limitedTo(1));
    await scene.claim(limitedTo(1));
    await scene.submit(keyed('m', 'k', { lane: 'm' }));
    const [m] = await scene.claim({ lanes: ['m'] });
    await scene.settleNow('complete', a);

    const [d] = await scene.claim(limitedTo(1));
    await scene.settleNow('complete', m);
    const stillFull = await scene.claimIds(limitedTo(1));
    await scene.settleNow('complete', d);

    equal([d?.run.id, stillFull], ['d', []]);
    equal(await scene.claimIds(limitedTo(1)), ['b']);
  },

  'a run with a key of its own keeps its place while it waits for its lane': async (scene) => {
    await scene.submit('a', keyed('b', 'k'), 'c', keyed('d', 'k'), 'e');
    const ids: unknown[] = [];
    for (let step = 0; step < 5; step += 1) {
      const [next] = await scene.claim(limitedTo(1));
      await scene.claim(limitedTo(1));
      ids.push(next?.run.id);
      await scene.settleNow('complete', next);
    }

    equal(ids, ['a', 'b', 'c', 'd', 'e']);
  },

  'a run with a key of its own frees the slots of both by': /* @__PURE__ */ each(
    () => FREED,
    async (scene, [_, freed]) => {
      await scene.submit(keyed('a', 'k'), keyed('b', 'k'), 'c');
      const a = await scene.claimOne(limitedTo(1));
      const full = await scene.claimIds(limitedTo(1));
      await scene.settleNow(freed, a);

      equal([a.id, full], ['a', []]);
      equal(await scene.claimIds(limitedTo(2)), ['b', 'c']);
    },
  ),

  'a run that keeps its slot while it waits for a retry frees that of its lane, and needs another one':
    async (scene) => {
      await scene.submit(keyed('a', 'k', { holdWhileRetrying: true }), keyed('b', 'k'), 'c');
      const [a] = await scene.claim(limitedTo(1));
      await scene.settleNow('retry', a);
      const [c] = await scene.claim(limitedTo(1));
      const full = await scene.claimIds(limitedTo(1));
      await scene.settleNow('complete', c);
      const [again] = await scene.claim(limitedTo(1));
      await scene.settleNow('complete', again);

      equal([c?.run.id, full, again?.run.id], ['c', [], 'a']);
      equal(await scene.claimIds(limitedTo(1)), ['b']);
    },

  'a run with a key of its own is marked as over the limit of its lane, if such runs are to be claimed':
    async (scene) => {
      await scene.submit('a', keyed('b', 'k'), keyed('c', 'k'), keyed('d', 'j', { whenFull: 'claim' }));
      const input = limitedTo(1, { whenFull: 'claim', requestId: 'same' });

      const claimed = await scene.claim(input);
      const repeated = await scene.claim(input);
      const [a, b] = claimed;
      await scene.settleNow('complete', b);
      await scene.settleNow('complete', a);

      const seen = ['a', 'b!', 'c!', 'd!'];
      const shown = (runs: typeof claimed) =>
        runs.map(({ run, isOverLimit }) => `${run.id}${isOverLimit ? '!' : ''}`);
      equal([shown(claimed), shown(repeated)], [seen, seen]);
      await scene.submit(keyed('e', 'k'));
      equal(await scene.claimIds(limitedTo(1)), ['e']);
    },

  'a run that is to be claimed over the limit of its key waits for its lane all the same': async (scene) => {
    await scene.submit(
      'a',
      keyed('b', 'k', { whenFull: 'claim' }),
      keyed('c', 'k', { whenFull: 'claim' }),
      'd',
    );
    const [a] = await scene.claim(limitedTo(1));
    await scene.claim(limitedTo(1));
    await scene.submit(keyed('m', 'k', { lane: 'm' }));
    await scene.claim({ lanes: ['m'] });
    const full = await scene.claimIds(limitedTo(1));
    await scene.settleNow('complete', a);

    const claimed = await scene.claim(limitedTo(1));

    equal(full, []);
    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['b', true],
        ['c', true],
        ['d', false],
      ],
    );
  },

  'a run that waits for its lane can be cancelled, and those that wait for its key or its lane go on': async (
    scene,
  ) => {
    await scene.submit('a', keyed('b', 'k'), keyed('c', 'k'), 'd');
    const [a] = await scene.claim(limitedTo(1));
    await scene.claim(limitedTo(1));

    const answers = await cancelRuns(scene.broker, ['b']);
    await scene.settleNow('complete', a);
    const next = await scene.claim(limitedTo(1));
    await scene.settleNow('complete', next[0]);

    equal([answers, next[0]?.run.id], [['cancelled'], 'c']);
    equal(await scene.claimIds(limitedTo(1)), ['d']);
  },

  'a run that waits for its lane leaves the turn of its key to the next one when it is cancelled': async (
    scene,
  ) => {
    await scene.submit('a', keyed('m', 'k', { lane: 'm' }));
    const [[a], [m]] = [await scene.claim(limitedTo(1)), await scene.claim({ lanes: ['m'] })];
    await scene.submit(keyed('b', 'k'), keyed('c', 'k'));
    await scene.claim(limitedTo(1));
    await scene.settleNow('complete', m);
    const full = await scene.claimIds(limitedTo(1));

    await cancelRuns(scene.broker, ['b']);
    await scene.settleNow('complete', a);

    equal(full, []);
    equal(await scene.claimIds(limitedTo(1)), ['c']);
  },

  'a run that got its turn after it had waited for its lane can be cancelled, and the next one gets it':
    async (scene) => {
      await scene.submit('a', keyed('b', 'k'), keyed('c', 'k'), 'd');
      const [a] = await scene.claim(limitedTo(1));
      await scene.claim(limitedTo(1));
      await scene.settleNow('complete', a);

      const answers = await cancelRuns(scene.broker, ['b', 'c']);

      equal(answers, ['cancelled', 'cancelled']);
      equal(await scene.claimIds(limitedTo(1)), ['d']);
    },

  'a wait for work goes on while runs with keys of their own wait for their lane, and ends with a free slot':
    async (scene) => {
      await scene.submit('a', keyed('b', 'k'));
      const [a] = await scene.claim(limitedTo(1));
      await scene.claim(limitedTo(1));

      await waitForSlotOf(scene, a);

      equal(await scene.claimIds(limitedTo(1)), ['b']);
    },

  'a run of another lane with a key that is named like a limited lane counts there': async (scene) => {
    await scene.submit('a', keyed('b', 'l', { lane: 'm' }), keyed('c', 'k'));
    const [b] = await scene.claim({ lanes: ['m'] });
    const full = await scene.claimIds(limitedTo(1));
    await scene.settleNow('complete', b);

    equal([b?.run.id, full], ['b', []]);
    equal(await scene.claimIds(limitedTo(2)), ['a', 'c']);
  },
};

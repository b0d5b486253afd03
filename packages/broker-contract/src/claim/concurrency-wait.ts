import { cancelRuns } from '@retry/core/broker/kit';
import type { RunEvent } from '@retry/core/lifecycle';
import { equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { each } from '../broker-case.ts';
import { idsIn, LONG_MS, concurrency as one, PASS_MS, SHORT_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Ways to end a claim, by the events of the settlement. */
const WAYS_TO_END: readonly (readonly [name: string, events: (at: number) => readonly RunEvent[]])[] = [
  ['complete', (at) => [{ type: 'complete', at }]],
  ['retry', (at) => [{ type: 'retry', at, runAt: at + LONG_MS }]],
  ['fail', (at) => [{ type: 'fail', at }]],
  ['stall', (at) => [{ type: 'stall', at }]],
  [
    'stall and recover',
    (at) => [
      { type: 'stall', at },
      { type: 'recover', at, runAt: at + LONG_MS },
    ],
  ],
  [
    'stall and giving up',
    (at) => [
      { type: 'stall', at },
      { type: 'giveUp', at },
    ],
  ],
  ['cancel', (at) => [{ type: 'cancel', at }]],
  ['drop', (at) => [{ type: 'drop', at }]],
  ['limit', (at) => [{ type: 'limit', at }]],
  ['limit for later', (at) => [{ type: 'limit', at, runAt: at + LONG_MS }]],
];

/** `whenFull: 'wait'`: runs stay in their lane while their key is full. */
export const concurrencyWaitCases: CasesByName = {
  'whenFull wait starts at most as many runs of a key as its limit': async (scene) => {
    const concurrency = { ...one, limit: 2 };
    await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency })));

    equal(await scene.claimIds(), ['a', 'b']);
    equal(await scene.claimIds(), []);
    matches(await scene.broker.audit(), { started: 2, submitted: 2 });
  },

  'whenFull wait gives a slot that a settlement frees in the same exchange, also to a run before those that were claimed meanwhile':
    async (scene) => {
      const first = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'b', concurrency: one });
      const meanwhile: (readonly string[])[] = [];
      for (const id of ['c', 'd']) {
        await scene.submit(id);
        meanwhile.push(await scene.claimIds({ limit: 1 }));
      }
      const settlement = settlementOf(first, { type: 'complete', at: await scene.now() });
      const claim = {
        worker: 'w',
        requestId: 'same',
        limit: 1,
        lanes: new Map([['l', 1]]),
        leaseMs: LONG_MS,
      };
      const { settled, claimed } = await scene.broker.exchange({ settle: [settlement], claim });

      equal(meanwhile, [['c'], ['d']]);
      equal([settled, idsIn(claimed)], [['ok'], ['b']]);
    },

  'whenFull wait applies across workers and lanes': async (scene) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', lane: 'm', concurrency: one });
    await scene.claim({ worker: 'w1' });

    equal(await scene.claimIds({ worker: 'w2', lanes: ['m', 'l'] }), []);
    strictEqual((await scene.read('b')).state, 'submitted');
  },

  'whenFull wait applies across the lanes of one claim': async (scene) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', lane: 'm', concurrency: one });

    equal(await scene.claimIds({ lanes: ['m', 'l'] }), ['b']);
    strictEqual((await scene.read('a')).state, 'submitted');
  },

  'whenFull wait does not delay runs of other keys, or without a key': async (scene) => {
    const other = { ...one, key: 'other' };
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one });
    await scene.submit({ id: 'c', concurrency: other }, 'd', { id: 'e', concurrency: other });

    equal(await scene.claimIds(), ['a', 'c', 'd']);
    equal(await scene.claimIds({ limit: 1 }), []);
  },

  'whenFull wait lets a claim pass over waiting runs up to its limit': async (scene) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one }, 'c', 'd');

    equal(await scene.claimIds({ limit: 2 }), ['a', 'c']);
  },

  'whenFull wait starts the runs that waited first, in their order, once the key has a free slot': async (
    scene,
  ) => {
    await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: one })), 'd', 'e');
    const first = await scene.claim({ limit: 2 });
    await scene.settleNow('complete', first[0]);

    const second = await scene.claim({ limit: 1 });
    await scene.settleNow('complete', second[0]);
    const third = await scene.claimIds();

    equal(idsIn(first), ['a', 'd']);
    equal(idsIn(second), ['b']);
    equal(third, ['c', 'e']);
  },

  'whenFull wait keeps the order whether slots become free together or one by one': async (scene) => {
    const concurrency = { ...one, limit: 2 };
    await scene.submit(...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ id, concurrency })), 'z');
    const [a, b] = await scene.claim({ limit: 3 });
    await scene.settleNow('complete', a, b);
    const [c, d] = await scene.claim();
    await scene.settleNow('complete', c);
    await scene.settleNow('complete', d);

    equal([c?.run.id, d?.run.id], ['c', 'd']);
    equal(await scene.claimIds(), ['e', 'f']);
  },

  'whenFull wait has a free slot again after': /* @__PURE__ */ each(
    () => WAYS_TO_END,
    async (scene, [_name, events]) => {
      const run = await scene.start({ id: 'a', concurrency: one });
      await scene.submit({ id: 'b', concurrency: one });
      const full = await scene.claimIds();

      await scene.settleNow(events, run);

      equal(full, []);
      equal(await scene.claimIds(), ['b']);
    },
  ),

  'whenFull wait starts a released run before the others of its key': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });
    await scene.submit({ id: 'b', concurrency: one });
    await scene.claim();

    await scene.settleNow('release', run);

    equal(await scene.claimIds(), ['a']);
  },

  'whenFull wait frees one slot for a settlement that is repeated': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });
    await scene.submit(...['b', 'c'].map((id) => ({ id, concurrency: one })));
    const settlement = settlementOf(run, { type: 'complete', at: await scene.now() });

    await scene.settle(settlement, settlement);
    await scene.settle(settlement);

    equal(await scene.claimIds(), ['b']);
  },

  'whenFull wait frees no slot for a fenced settlement': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });
    await scene.submit({ id: 'b', concurrency: one });
    const stale = { ...settlementOf(run, { type: 'complete', at: await scene.now() }), epoch: 9 };

    await scene.settle(stale);

    equal(await scene.claimIds(), []);
  },

  'whenFull wait frees one slot when a cleaner settles for a silent worker, and none when that worker settles late':
    async (scene) => {
      const zombie = await scene.start({ id: 'a', concurrency: one }, { leaseMs: SHORT_MS });
      await scene.submit(...['b', 'c'].map((id) => ({ id, concurrency: one })));
      await scene.advance(PASS_MS);
      const at = await scene.now();
      await scene.settle(settlementOf(zombie, { type: 'stall', at }, { onlyIfExpired: true }));
      const next = await scene.claimIds();

      await scene.settle(settlementOf(zombie, { type: 'complete', at }));

      equal(next, ['b']);
      equal(await scene.claimIds(), []);
    },

  'whenFull wait skips runs that were cancelled while they waited': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });
    await scene.submit(...['b', 'c', 'd'].map((id) => ({ id, concurrency: one })));
    await scene.claim();
    const waiting = await cancelRuns(scene.broker, ['b']);
    await scene.settleNow('complete', run);
    const next = await cancelRuns(scene.broker, ['c']);

    equal(waiting, ['cancelled']);
    equal(next, ['cancelled']);
    equal(await scene.claimIds(), ['d']);
  },

  'whenFull wait reserves no slot for a lane that no worker claims from': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: one });
    await scene.submit({ id: 'old', lane: 'old', concurrency: one }, { id: 'b', concurrency: one });
    await scene.claim({ lanes: ['old', 'l'] });
    await scene.settleNow('complete', run);

    equal(await scene.claimIds({ lanes: ['l'] }), ['b']);
    equal(await scene.claimIds({ lanes: ['old'] }), []);
  },

  'whenFull wait takes no further slot for a repeated claim': async (scene) => {
    await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: { ...one, limit: 2 } })));
    await scene.claim({ requestId: 'lost', limit: 1 });
    await scene.claim({ requestId: 'lost', limit: 1 });

    equal(await scene.claimIds(), ['b']);
  },

  'whenFull wait keeps a released run before one that waited, although its key was full meanwhile': async (
    scene,
  ) => {
    await scene.submit({ id: 'a', concurrency: one }, 'b', { id: 'waited', concurrency: one });
    await scene.settleNow('release', ...(await scene.claim()));
    const other = await scene.start({ id: 'other', lane: 'm', concurrency: one });
    const passing = await scene.claimIds({ limit: 1 });
    await scene.settleNow('complete', other);

    equal(passing, ['b']);
    equal(await scene.claimIds(), ['a']);
  },

  'whenFull wait keeps the order of runs with different limits': async (scene) => {
    const run = await scene.start({ id: 'a', concurrency: { ...one, limit: 2 } });
    const other = await scene.start({ id: 'b', concurrency: { ...one, limit: 2 } });
    await scene.submit({ id: 'c', concurrency: one }, { id: 'd', concurrency: { ...one, limit: 2 } });
    await scene.claim();
    await scene.settleNow('complete', run, other);

    equal(await scene.claimIds(), ['c', 'd']);
  },

  'whenFull wait applies the limit of each run to that run': async (scene) => {
    await scene.submit({ id: 'a', concurrency: one }, { id: 'b', concurrency: one });
    await scene.submit({ id: 'c', concurrency: { ...one, limit: 2 } });

    equal(await scene.claimIds(), ['a', 'c']);
  },
};

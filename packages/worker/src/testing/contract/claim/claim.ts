import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** What a claim gets. */
export const claimCases: CasesByName = {
  'claim starts runs in the order of their submission': async (scene) => {
    await scene.submit('c', 'a');
    await scene.submit('b');

    equal(await scene.claimIds(), ['c', 'a', 'b']);
  },

  'claim gives a started run with its first epoch and its lease': async (scene) => {
    await scene.submit({ id: 'a', payload: '[1]' });
    const before = await scene.now();

    const [claimed] = await scene.claim();

    const now = await scene.now();
    matches(claimed?.run, { id: 'a', payload: '[1]', state: 'started', epoch: 1 });
    strictEqual(claimed?.isOverLimit, false);
    atLeast(claimed?.run.startedAt, before);
    atLeast(claimed?.leaseUntil, before + LONG_MS);
    atMost(claimed?.leaseUntil, now + LONG_MS);
    equal(await scene.read('a'), claimed?.run);
  },

  'claim gives a run to one claim only': async (scene) => {
    await scene.submit('a', 'b', 'c');

    const both = await Promise.all([
      scene.claimIds({ worker: 'w1', limit: 2 }),
      scene.claimIds({ worker: 'w2', limit: 2 }),
    ]);

    equal(both.flat().sort(), ['a', 'b', 'c']);
  },

  'claim takes lanes in the order asked': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'x' });

    equal(await scene.claimIds({ lanes: ['y', 'x'] }), ['b', 'a', 'c']);
  },

  'claim leaves lanes alone that it does not ask for': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });

    equal(await scene.claimIds({ lanes: ['y'] }), []);
    strictEqual((await scene.read('a')).state, 'submitted');
  },

  'claim takes no more from a lane than its limit': async (scene) => {
    await scene.submit('a', 'b', 'c', { id: 'd', lane: 'm' }, { id: 'e', lane: 'm' });

    const ids = await scene.claimIds({
      lanes: [
        ['l', 2],
        ['m', 1],
      ],
    });

    equal(ids, ['a', 'b', 'd']);
    equal(await scene.claimIds({ lanes: ['l', 'm'] }), ['c', 'e']);
  },

  'claim takes no more in all than its limit, earlier lanes first': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', lane: 'm' }, { id: 'd', lane: 'm' });

    equal(await scene.claimIds({ lanes: ['m', 'l'], limit: 3 }), ['c', 'd', 'a']);
  },

  'claim gives nothing for a limit of 0, for no lanes and from an empty lane': async (scene) => {
    await scene.submit('a');

    equal(await scene.claimIds({ lanes: [['l', 0]] }), []);
    equal(await scene.claimIds({ limit: 0 }), []);
    equal(await scene.claimIds({ lanes: [] }), []);
    equal(await scene.claimIds({ lanes: ['never seen'] }), []);
    equal(await scene.claimIds(), ['a']);
  },

  'claim puts a retry that is due at once behind what waits': async (scene) => {
    await scene.submit('a', 'b');
    const [first] = await scene.claim({ limit: 1 });
    const at = await scene.now();

    if (first) await scene.settle(settlementOf(first.run, { type: 'retry', at, runAt: at }));

    equal(await scene.claimIds(), ['b', 'a']);
  },

  'claim settles before it claims, so that one exchange can do both for one run': async (scene) => {
    const run = await scene.start('a');
    const at = await scene.now();
    const settle = [settlementOf(run, { type: 'retry', at, runAt: at })];
    const lanes = new Map([['l', 1]]);

    const reply = await scene.broker.exchange({
      settle,
      claim: { worker: 'w', requestId: 'both', limit: 1, lanes, leaseMs: LONG_MS },
    });

    equal(reply.settled, ['ok']);
    equal(
      reply.claimed.map((claimed) => claimed.run.epoch),
      [2],
    );
  },

  'claim answers an empty exchange with the time': async (scene) => {
    const first = await scene.broker.exchange({});
    await scene.advance(5);
    const second = await scene.broker.exchange({ settle: [] });

    matches(first, { settled: [], claimed: [] });
    atLeast(second.now, first.now + 5);
  },
};

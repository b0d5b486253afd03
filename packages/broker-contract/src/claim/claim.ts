import { atLeast, atMost, equal, matches, strictEqual } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** Which runs a claim returns. */
export const claimCases: CasesByName = {
  'claim starts runs in the order of their submission': async (scene) => {
    await scene.submit('c', 'a');
    await scene.submit('b');

    equal(await scene.claimIds(), ['c', 'a', 'b']);
  },

  'claim returns a started run with its first epoch and its lease': async (scene) => {
    await scene.submit({ id: 'a', payload: '[1]' });
    const before = await scene.now();

    const [claimed] = await scene.claim();

    const now = await scene.now();
    matches(claimed?.run, { id: 'a', payload: '[1]', state: 'started', epoch: 1 });
    strictEqual(claimed?.isOverLimit, false);
    atLeast(claimed?.run.firstStartedAt, before);
    atLeast(claimed?.leaseUntil, before + LONG_MS);
    atMost(claimed?.leaseUntil, now + LONG_MS);
    equal(await scene.read('a'), claimed?.run);
  },

  'claim never hands out a run that another claim has started': async (scene) => {
    await scene.submit('a', 'b', 'c');

    const both = await Promise.all([
      scene.claimIds({ worker: 'w1', limit: 2 }),
      scene.claimIds({ worker: 'w2', limit: 2 }),
    ]);

    equal(both.flat().sort(), ['a', 'b', 'c']);
  },

  'claim takes lanes in the order of the request': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' }, { id: 'b', lane: 'y' }, { id: 'c', lane: 'x' });

    equal(await scene.claimIds({ lanes: ['y', 'x'] }), ['b', 'a', 'c']);
  },

  'claim starts no run of a lane that it does not name': async (scene) => {
    await scene.submit({ id: 'a', lane: 'x' });

    equal(await scene.claimIds({ lanes: ['y'] }), []);
    strictEqual((await scene.read('a')).state, 'submitted');
  },

  'claim takes at most the limit of a lane from it': async (scene) => {
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

  'claim takes at most its own limit in total, earlier lanes first': async (scene) => {
    await scene.submit('a', 'b', { id: 'c', lane: 'm' }, { id: 'd', lane: 'm' });

    equal(await scene.claimIds({ lanes: ['m', 'l'], limit: 3 }), ['c', 'd', 'a']);
  },

  'claim returns nothing for a limit of 0, for no lanes and from an empty lane': async (scene) => {
    await scene.submit('a');

    equal(await scene.claimIds({ lanes: [['l', 0]] }), []);
    equal(await scene.claimIds({ limit: 0 }), []);
    equal(await scene.claimIds({ lanes: [] }), []);
    equal(await scene.claimIds({ lanes: ['unused'] }), []);
    equal(await scene.claimIds(), ['a']);
  },

  'claim takes a retry that is due immediately after the runs that already wait': async (scene) => {
    await scene.submit('a', 'b');
    const [first] = await scene.claim({ limit: 1 });

    await scene.settleNow('retry', first);

    equal(await scene.claimIds(), ['b', 'a']);
  },

  'claim comes after the settlements of the same call, so that one call can do both for one run': async (
    scene,
  ) => {
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

  'a call without settlements and claim returns the clock of the broker': async (scene) => {
    const first = await scene.broker.exchange({});
    await scene.advance(5);
    const second = await scene.broker.exchange({ settle: [] });

    matches(first, { settled: [], claimed: [] });
    atLeast(second.now, first.now + 5);
  },
};

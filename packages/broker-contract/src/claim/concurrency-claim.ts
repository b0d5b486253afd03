import type { Concurrency } from '@retry/core/broker';
import { equal, matches } from '../assertions.ts';
import type { CasesByName } from '../broker-case.ts';
import { LONG_MS } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

const one: Concurrency = { key: 'k', limit: 1, whenFull: 'claim' };

/** `whenFull: 'claim'`: runs are claimed although their key is full, for the worker to settle with `limit`. */
export const concurrencyClaimCases: CasesByName = {
  'whenFull claim hands out runs over the limit, marked as such': async (scene) => {
    await scene.submit(...['a', 'b', 'c'].map((id) => ({ id, concurrency: { ...one, limit: 2 } })));

    const claimed = await scene.claim();

    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, run.state, isOverLimit]),
      [
        ['a', 'started', false],
        ['b', 'started', false],
        ['c', 'started', true],
      ],
    );
  },

  'whenFull claim takes no slot for a run over the limit': async (scene) => {
    await scene.submit(...['a', 'b', 'c', 'd'].map((id) => ({ id, concurrency: one })));
    const [first, over] = await scene.claim({ limit: 2 });
    const at = await scene.now();
    if (!first || !over) throw new Error('two runs must be claimed');

    await scene.settle(settlementOf(first.run, { type: 'complete', at }));
    const [next] = await scene.claim({ limit: 1 });
    await scene.settle(settlementOf(over.run, { type: 'limit', at, runAt: at + LONG_MS }));
    const [last] = await scene.claim({ limit: 1 });

    equal([next?.run.id, next?.isOverLimit], ['c', false]);
    equal([last?.run.id, last?.isOverLimit], ['d', true]);
    matches(await scene.read('b'), { state: 'scheduled', releases: 1, rateLimits: 1 });
  },

  'whenFull claim counts the slots of runs with whenFull wait': async (scene) => {
    await scene.submit({ id: 'a', concurrency: { ...one, whenFull: 'wait' } }, { id: 'b', concurrency: one });
    await scene.submit({ id: 'c', concurrency: { ...one, whenFull: 'wait' } });

    const claimed = await scene.claim();

    equal(
      claimed.map(({ run, isOverLimit }) => [run.id, isOverLimit]),
      [
        ['a', false],
        ['b', true],
      ],
    );
  },
};

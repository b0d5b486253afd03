import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStore } from '../../packages/inprocess/src/broker/record/store.ts';
import { reserve } from '../../packages/inprocess/src/broker/verbs/reserve.ts';
import { createFakeClock } from './fake-clock.ts';

/** For how long the counts of a window of 1 s are kept at most, in ms. */
const KEPT_MS = 2_032;

const RETENTION = {
  keepCount: 0,
  keepKeysMs: 0,
  keepForMs: Infinity,
  keepBytes: Infinity,
  keepDeadForMs: Infinity,
};

describe('the limits of starts in memory', () => {
  it('are at most three times as many as those that may be in use, whatever names follow one another', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 400 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 9 }), (gaps, others) => {
        const store = createStore({ clock: createFakeClock(), ...RETENTION });
        const addedAt: number[] = [];
        let now = 1_000_000;
        for (const [index, gapMs] of gaps.entries()) {
          now += gapMs;
          // Some windows are long, and must not keep the others from being forgotten.
          const windowMs = index < others ? 86_400_000 : 1_000;
          reserve(store, { key: `k${index}`, limit: 1, windowMs, count: 1 }, now);
          addedAt.push(now);
          const inUse = addedAt.filter((at, added) => added < others || at + KEPT_MS > now).length;
          const most = Math.max(
            ...addedAt.map((at) => addedAt.filter((one) => one > at - KEPT_MS && one <= at).length),
          );
          expect(store.startCounts.size).toBeLessThanOrEqual(3 * Math.max(inUse, most + others));
        }
      }),
    );
  });
});

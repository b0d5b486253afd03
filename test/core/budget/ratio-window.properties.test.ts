import type { Budget } from '@retry/core/budget';
import { defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const budgets = fc
  .record({
    ratio: fc.constantFrom(0, 0.1, 0.2, 0.5, 2),
    minPerSecond: fc.constantFrom(0, 0.5, 1, 10),
    window: fc.constantFrom(10, 100, 1_000, 10_000),
  })
  .map((input) => defineBudget({ type: 'ratio', ...input }) as RatioBudget); // defineBudget keeps the type

type RatioBudget = Extract<Budget, { readonly type: 'ratio' }>;

/** Bursts of requests and of retries asked for, each a share of the window after the one before. */
const bursts = fc.array(
  fc.record({
    type: fc.constantFrom('request' as const, 'retry' as const),
    count: fc.integer({ min: 1, max: 20 }),
    afterTenths: fc.constantFrom(0, 0, 0.1, 0.5, 0.99, 1, 1.01, 2, 5, 9, 9.99, 10),
  }),
  { maxLength: 20 },
);

interface Entry {
  readonly type: 'request' | 'retry';
  readonly at: number;
  readonly isGranted: boolean;
}

type Bursts = typeof bursts extends fc.Arbitrary<infer T> ? T : never;

function play(budget: RatioBudget, given: Bursts): readonly Entry[] {
  const entries: Entry[] = [];
  let [state, at] = [openBudget(budget, 0), 0];
  for (const { type, count, afterTenths } of given) {
    at += (afterTenths * budget.windowMs) / 10;
    for (let index = 0; index < count; index += 1) {
      const step = stepBudget(budget, state, { type }, at);
      state = step.state;
      entries.push({ type, at, isGranted: step.isGranted });
    }
  }
  return entries;
}

function countOf(entries: readonly Entry[], type: Entry['type'], fromAt: number): number {
  return entries.filter((entry) => entry.type === type && entry.isGranted && entry.at >= fromAt).length;
}

describe('a ratio budget', () => {
  it('never grants more in nine tenths of a window than the window before allows', () => {
    // The balance sees the slice under way and the nine before it. Whatever happened in the last nine tenths of a
    // window lies in them, and they reach at most one window back. So at every granted retry: retries of the last
    // 0.9 window ≤ ratio x requests of the last window + reserve. Over a whole window it does not hold: a reserve
    // spent at the end of a slice is forgotten 0.9 window later, and may be spent again.
    fc.assert(
      fc.property(budgets, bursts, (budget, given) => {
        const entries = play(budget, given);
        const reserve = (budget.minPerSecond * budget.windowMs) / 1_000;

        entries.forEach(({ type, at, isGranted }, index) => {
          if (type !== 'retry' || !isGranted) return;
          const past = entries.slice(0, index + 1);
          const retries = countOf(past, 'retry', at - 0.9 * budget.windowMs + 1e-6);
          const requests = countOf(past, 'request', at - budget.windowMs);

          expect(retries).toBeLessThanOrEqual(budget.ratio * requests + reserve + 1e-6);
        });
      }),
    );
  });

  it('agrees with the slow obvious version, which keeps every event', () => {
    fc.assert(
      fc.property(budgets, bursts, (budget, given) => {
        const entries = play(budget, given);
        const sliceMs = budget.windowMs / 10;
        const reserve = (budget.minPerSecond * budget.windowMs) / 1_000;

        entries.forEach(({ type, at, isGranted }, index) => {
          if (type !== 'retry') return;
          const past = entries.slice(0, index);
          // Slices are counted from the opening; a burst just at an edge may round to either side of it.
          const oldestAt = [-1e-6, 1e-6].map(
            (slip) => (Math.floor((at + slip) / sliceMs) - 9) * sliceMs - slip,
          );
          const answers = oldestAt.map((fromAt) => {
            const saved = budget.ratio * countOf(past, 'request', fromAt) - countOf(past, 'retry', fromAt);
            return saved + reserve >= 1 - 1e-6;
          });

          expect(answers).toContain(isGranted);
        });
      }),
    );
  });
});

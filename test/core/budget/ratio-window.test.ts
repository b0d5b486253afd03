import type { BudgetState } from '@retry/core/budget';
import { defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import { describe, expect, it } from 'vitest';

const finagle = defineBudget({ type: 'ratio' });
const thrifty = defineBudget({ type: 'ratio', ratio: 0.2, minPerSecond: 0, window: '10s' });

function requests(budget: typeof finagle, state: BudgetState, count: number, at: number): BudgetState {
  let next = state;
  for (let request = 0; request < count; request += 1)
    next = stepBudget(budget, next, { type: 'request' }, at).state;
  return next;
}

/** How many retries in a row the budget grants at this instant. */
function granted(
  budget: typeof finagle,
  state: BudgetState,
  at: number,
): { count: number; state: BudgetState } {
  let next = state;
  for (let count = 0; ; count += 1) {
    const step = stepBudget(budget, next, { type: 'retry' }, at);
    if (!step.isGranted) return { count, state: step.state };
    next = step.state;
  }
}

describe('a ratio', () => {
  it('grants its reserve without any traffic: 10 a second over 10 s', () => {
    // Finagle: RetryBudget.apply(ttl 10 s, minRetriesPerSec 10, percentCanRetry 0.2)
    expect(granted(finagle, openBudget(finagle, 0), 0).count).toBe(100);
  });

  it('grants a fifth of the requests beyond its reserve', () => {
    const state = requests(finagle, openBudget(finagle, 0), 200, 0);

    expect(granted(finagle, state, 0).count).toBe(140);
  });

  it('grants the first retry after five requests without a reserve', () => {
    expect(granted(thrifty, requests(thrifty, openBudget(thrifty, 0), 4, 0), 0).count).toBe(0);
    expect(granted(thrifty, requests(thrifty, openBudget(thrifty, 0), 5, 0), 0).count).toBe(1);
  });

  it('counts ten tenths as one', () => {
    const tenth = defineBudget({ type: 'ratio', ratio: 0.1, minPerSecond: 0 });

    expect(granted(tenth, requests(tenth, openBudget(tenth, 0), 10, 0), 0).count).toBe(1);
  });

  it('returns a price of 1 for a retry', () => {
    const step = stepBudget(finagle, openBudget(finagle, 0), { type: 'retry' }, 0);

    expect(step).toMatchObject({ isGranted: true, paid: 1 });
  });

  it.each(['success', 'failure'] as const)('is not moved by a %s', (type) => {
    const state = openBudget(finagle, 0);

    expect(stepBudget(finagle, state, { type }, 0)).toEqual({ state, isGranted: true, paid: 0 });
  });
});

describe('the window of a ratio', () => {
  it('forgets requests after the window, a tenth of it at a time', () => {
    const state = requests(thrifty, openBudget(thrifty, 0), 50, 0);

    expect(granted(thrifty, state, 9_999).count).toBe(10);
    expect(granted(thrifty, state, 10_000).count).toBe(0);
  });

  it('forgets only the slices that have left it', () => {
    let state = requests(thrifty, openBudget(thrifty, 0), 50, 500);
    state = requests(thrifty, state, 25, 1_000);

    expect(granted(thrifty, state, 10_500).count).toBe(5);
    expect(granted(thrifty, state, 11_000).count).toBe(0);
  });

  it('forgets retries too, and grants its reserve anew', () => {
    const spent = granted(finagle, openBudget(finagle, 0), 0).state;

    expect(granted(finagle, spent, 9_999).count).toBe(0);
    expect(granted(finagle, spent, 10_000).count).toBe(100);
  });

  it('does not lose a slice to steps that do not fill one', () => {
    let state = requests(thrifty, openBudget(thrifty, 0), 5, 0);
    for (let at = 700; at <= 9_800; at += 700)
      state = stepBudget(thrifty, state, { type: 'failure' }, at).state;

    expect(granted(thrifty, state, 9_999).count).toBe(1);
    expect(granted(thrifty, state, 10_000).count).toBe(0);
  });

  it('is empty after a pause of any length', () => {
    const state = requests(thrifty, openBudget(thrifty, 0), 50, 0);

    expect(granted(thrifty, state, 1e15).count).toBe(0);
  });

  it('stands still under a clock that goes backwards', () => {
    const state = requests(thrifty, openBudget(thrifty, 50_000), 50, 50_000);

    expect(granted(thrifty, state, 0).count).toBe(10);
    expect(granted(thrifty, requests(thrifty, state, 5, 0), 59_999).count).toBe(11);
  });
});

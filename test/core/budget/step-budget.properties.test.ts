import type { Budget, BudgetEvent, BudgetState } from '@retry/core/budget';
import { allowsRetry, defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const amounts = fc.oneof(fc.nat(20), fc.constantFrom(0, 0.1, 0.5, 1, 2.5, 500));

const budgets: fc.Arbitrary<Budget> = fc
  .oneof(
    fc
      .record({
        type: fc.constant('token-bucket' as const),
        capacity: amounts,
        costs: fc.record({ default: amounts, timeout: amounts }, { requiredKeys: [] }),
        refund: amounts,
        refillPerSecond: amounts,
      })
      // Others are refused.
      .filter(({ capacity, costs: { default: usual = 5, timeout = usual } }) => {
        return capacity === 0 || capacity >= Math.min(usual, timeout);
      }),
    fc.record({
      type: fc.constant('ratio' as const),
      ratio: fc.constantFrom(0, 0.1, 0.2, 1, 3),
      minPerSecond: fc.constantFrom(0, 0.5, 1, 10),
      window: fc.constantFrom(1, 10, 1_000, 9_999),
    }),
    fc.record({ type: fc.constant('throttle' as const), maxTokens: amounts, tokenRatio: amounts }),
  )
  .map(defineBudget);

const events: fc.Arbitrary<BudgetEvent> = fc.oneof(
  fc.constantFrom<BudgetEvent>({ type: 'request' }, { type: 'failure' }, { type: 'success' }),
  fc.constantFrom<BudgetEvent>(
    { type: 'retry' },
    { type: 'retry', kind: 'timeout' },
    { type: 'retry', kind: 'x' },
  ),
  amounts.map((paid): BudgetEvent => ({ type: 'success', paid })),
);

/** What happened and when; the clock goes backwards now and then. */
const histories = fc.array(fc.tuple(events, fc.integer({ min: -500, max: 3_000 })), { maxLength: 60 });

interface Moment {
  readonly before: BudgetState;
  readonly event: BudgetEvent;
  readonly now: number;
}

/** Each event with the state it met. */
function play(budget: Budget, history: readonly (readonly [BudgetEvent, number])[]): readonly Moment[] {
  let [before, now] = [openBudget(budget, 0), 0];
  return history.map(([event, stepMs]) => {
    now += stepMs;
    const moment = { before, event, now };
    before = stepBudget(budget, before, event, now).state;
    return moment;
  });
}

function eachMoment(check: (budget: Budget, moment: Moment) => void): void {
  fc.assert(
    fc.property(budgets, histories, (budget, history) => {
      for (const moment of play(budget, history)) check(budget, moment);
    }),
  );
}

function deepFreeze(state: BudgetState): BudgetState {
  return Object.freeze({ ...state, tokens: Object.freeze([...state.tokens]) });
}

/** Where time alone brings the budget: by an event that costs this kind nothing. */
function idle(budget: Budget, before: BudgetState, now: number): BudgetState {
  return stepBudget(budget, before, { type: budget.type === 'ratio' ? 'failure' : 'request' }, now).state;
}

function sum({ tokens }: BudgetState): number {
  return tokens.reduce((total, token) => total + token, 0);
}

describe('stepBudget', () => {
  it('is pure: the state is not touched, and the same step gives the same', () => {
    eachMoment((budget, { before, event, now }) => {
      const frozen = deepFreeze(before);

      expect(stepBudget(budget, frozen, event, now)).toEqual(stepBudget(budget, frozen, event, now));
      expect(frozen).toEqual(before);
    });
  });

  it('grants everything but retries', () => {
    eachMoment((budget, { before, event, now }) => {
      if (event.type === 'retry') return;

      expect(stepBudget(budget, before, event, now)).toMatchObject({ isGranted: true, paid: 0 });
    });
  });

  it('takes no tokens for a refused retry', () => {
    eachMoment((budget, { before, event, now }) => {
      const step = stepBudget(budget, before, event, now);
      if (step.isGranted) return;

      expect(step).toEqual({ state: idle(budget, before, now), isGranted: false, paid: 0 });
    });
  });

  it('takes exactly what it says was paid', () => {
    eachMoment((budget, { before, event, now }) => {
      if (event.type !== 'retry') return;

      const { state, paid } = stepBudget(budget, before, event, now);

      expect(sum(state)).toBeCloseTo(sum(idle(budget, before, now)) - paid, 6);
    });
  });

  it('never has more tokens than its capacity, nor less than 0', () => {
    eachMoment((budget, { before: { tokens } }) => {
      if (budget.type === 'ratio') return;
      const most = budget.type === 'token-bucket' ? budget.capacity : budget.maxTokens;

      expect(tokens).toHaveLength(1);
      expect(tokens[0]).toBeGreaterThanOrEqual(0);
      expect(tokens[0]).toBeLessThanOrEqual(most);
    });
  });

  it('keeps ten slices for a ratio, and numbers everywhere', () => {
    eachMoment((budget, { before: { tokens, steppedAt } }) => {
      expect(tokens).toHaveLength(budget.type === 'ratio' ? 10 : 1);
      expect([...tokens, steppedAt].every(Number.isFinite)).toBe(true);
    });
  });

  it('never has a token that is no number, nor more than it may have, whatever the clock says', () => {
    const instants = fc.oneof(
      fc.constantFrom(Number.NaN, Infinity, -Infinity, Number.MAX_VALUE, -Number.MAX_VALUE, 0),
      fc.integer({ min: -500, max: 3_000 }),
    );
    fc.assert(
      fc.property(budgets, fc.array(fc.tuple(events, instants)), instants, (budget, history, openedAt) => {
        let state = openBudget(budget, openedAt);
        for (const [event, now] of history) {
          state = stepBudget(budget, state, event, now).state;

          expect(state.tokens.some(Number.isNaN)).toBe(false);
          if (budget.type === 'token-bucket') expect(state.tokens[0]).toBeLessThanOrEqual(budget.capacity);
          expect(
            allowsRetry(budget, { ...state, tokens: state.tokens.map(() => -100_000) }, Number.NaN),
          ).toBe(false);
        }
      }),
    );
  });

  it('gains by time what it would have, once a clock that began with no number has one', () => {
    fc.assert(
      fc.property(budgets, events, (budget, event) => {
        const spent = stepBudget(budget, openBudget(budget, Number.NaN), event, Number.NaN).state;
        const later = idle(budget, idle(budget, spent, 0), 1e9);

        if (budget.type === 'ratio') expect(sum(later)).toBe(0);
        if (budget.type === 'token-bucket' && budget.refillPerSecond > 0)
          expect(later.tokens[0]).toBe(budget.capacity);
      }),
    );
  });

  it('adds no tokens when the clock goes backwards', () => {
    eachMoment((budget, { before, event, now }) => {
      if (now > before.steppedAt) return;

      const still = stepBudget(budget, before, event, before.steppedAt);

      expect(stepBudget(budget, before, event, now)).toEqual(still);
      expect(still.state.steppedAt).toBe(before.steppedAt);
    });
  });
});

describe('allowsRetry', () => {
  it('agrees with what a retry would be answered', () => {
    eachMoment((budget, { before, now }) => {
      const plain = stepBudget(budget, before, { type: 'retry' }, now);
      const timeout = stepBudget(budget, before, { type: 'retry', kind: 'timeout' }, now);

      expect(allowsRetry(budget, before, now)).toBe(plain.isGranted);
      expect(allowsRetry(budget, before, now, 'timeout')).toBe(timeout.isGranted);
    });
  });
});

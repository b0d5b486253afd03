import type { BudgetEvent, BudgetInput } from '@retry/core/budget';
import { allowsRetry, defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import { describe, expect, it } from 'vitest';

const failure: BudgetEvent = { type: 'failure' };
const success: BudgetEvent = { type: 'success' };

function times(count: number, event: BudgetEvent): readonly BudgetEvent[] {
  return Array.from({ length: count }, () => event);
}

/** Tokens after these events, and whether a retry is allowed then. */
function outcomeOf(
  events: readonly BudgetEvent[],
  input: Partial<BudgetInput & { type: 'throttle' }> = {},
): object {
  const budget = defineBudget({ type: 'throttle', ...input });
  const state = events.reduce((now, event) => stepBudget(budget, now, event, 0).state, openBudget(budget, 0));
  return { tokens: state.tokens[0], isAllowed: allowsRetry(budget, state, 0) };
}

describe('a throttle', () => {
  // gRFC A6: maxTokens 10, tokenRatio 0.1
  it('opens full', () => {
    expect(outcomeOf([])).toEqual({ tokens: 10, isAllowed: true });
  });

  it('loses a token for each failure, and stops retries at half', () => {
    expect(outcomeOf(times(4, failure))).toEqual({ tokens: 6, isAllowed: true });
    expect(outcomeOf(times(5, failure))).toEqual({ tokens: 5, isAllowed: false });
  });

  it('wins a tenth for each success, and allows retries above half again', () => {
    expect(outcomeOf([...times(5, failure), success])).toEqual({ tokens: 5.1, isAllowed: true });
  });

  it('never falls below 0: fifty successes bring it back to half, and one more over it', () => {
    expect(outcomeOf(times(12, failure))).toEqual({ tokens: 0, isAllowed: false });
    expect(outcomeOf([...times(12, failure), ...times(50, success)])).toMatchObject({ isAllowed: false });
    expect(outcomeOf([...times(12, failure), ...times(51, success)])).toMatchObject({ isAllowed: true });
  });

  it.each([
    [4, 0.1, 20],
    [4, 0.05, 40],
    [2, 0.01, 100],
    [10, 0.1, 50],
  ])(
    'does not allow a retry at half, however many fractions make it: %d tokens by %d',
    (maxTokens, tokenRatio, count) => {
      const empty = times(maxTokens, failure);

      expect(outcomeOf([...empty, ...times(count, success)], { maxTokens, tokenRatio })).toMatchObject({
        isAllowed: false,
      });
      expect(outcomeOf([...empty, ...times(count + 1, success)], { maxTokens, tokenRatio })).toMatchObject({
        isAllowed: true,
      });
    },
  );

  it('never rises over its maximum', () => {
    expect(outcomeOf(times(3, success))).toEqual({ tokens: 10, isAllowed: true });
    expect(outcomeOf([failure, ...times(3, success)], { tokenRatio: 0.5 })).toEqual({
      tokens: 10,
      isAllowed: true,
    });
  });

  it('takes nothing for a request or a retry', () => {
    expect(outcomeOf([{ type: 'request' }, { type: 'retry' }, { type: 'retry', kind: 'timeout' }])).toEqual({
      tokens: 10,
      isAllowed: true,
    });
  });

  it('says that a retry was paid with nothing', () => {
    const budget = defineBudget({ type: 'throttle' });

    expect(stepBudget(budget, openBudget(budget, 3), { type: 'retry' }, 9)).toMatchObject({
      isGranted: true,
      paid: 0,
    });
  });
});

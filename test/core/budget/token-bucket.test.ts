import type { BudgetEvent, BudgetInput, BudgetState } from '@retry/core/budget';
import { allowsRetry, defineBudget, openBudget, stepBudget } from '@retry/core/budget';
import { describe, expect, it } from 'vitest';

const aws = defineBudget({ type: 'token-bucket' });

function bucket(tokens: number, steppedAt = 0): BudgetState {
  return { tokens: [tokens], steppedAt };
}

/** Tokens left after these events, all at once. */
function tokensAfter(
  input: Omit<BudgetInput & { type: 'token-bucket' }, 'type'>,
  events: readonly BudgetEvent[],
): number {
  const budget = defineBudget({ type: 'token-bucket', ...input });
  const end = events.reduce(
    (state, event) => stepBudget(budget, state, event, 0).state,
    openBudget(budget, 0),
  );
  return end.tokens[0] ?? Number.NaN;
}

describe('a token bucket', () => {
  it('opens with 500 tokens, the capacity of the AWS SDK', () => {
    expect(openBudget(aws, 7)).toEqual({ tokens: [500], steppedAt: 7 });
  });

  it('takes 5 tokens for a retry, as the AWS SDK does', () => {
    expect(stepBudget(aws, bucket(500), { type: 'retry' }, 0)).toEqual({
      state: bucket(495),
      isGranted: true,
      paid: 5,
    });
  });

  it('takes 10 tokens for a retry after a timeout', () => {
    expect(stepBudget(aws, bucket(500), { type: 'retry', kind: 'timeout' }, 0)).toEqual({
      state: bucket(490),
      isGranted: true,
      paid: 10,
    });
  });

  it.each(['throttle', 'default', 'toString', '__proto__'])(
    'takes the default price for the kind %s',
    (kind) => {
      expect(stepBudget(aws, bucket(500), { type: 'retry', kind }, 0).paid).toBe(5);
    },
  );

  it('takes the default price without a kind, whatever the price of an empty kind', () => {
    const odd = defineBudget({ type: 'token-bucket', costs: { '': 100, default: 2 } });

    expect(stepBudget(odd, bucket(500), { type: 'retry' }, 0).paid).toBe(2);
    expect(stepBudget(odd, bucket(500), { type: 'retry', kind: '' }, 0).paid).toBe(100);
  });

  it('grants 100 retries in a row and refuses the next', () => {
    let state = openBudget(aws, 0);
    for (let retry = 1; retry <= 100; retry += 1) {
      const step = stepBudget(aws, state, { type: 'retry' }, 0);
      expect(step.isGranted).toBe(true);
      state = step.state;
    }

    expect(stepBudget(aws, state, { type: 'retry' }, 0)).toEqual({
      state: bucket(0),
      isGranted: false,
      paid: 0,
    });
  });

  it('grants a retry for its last tokens, and refuses one that costs more than is left', () => {
    expect(stepBudget(aws, bucket(5), { type: 'retry' }, 0).isGranted).toBe(true);
    expect(stepBudget(aws, bucket(4), { type: 'retry' }, 0)).toEqual({
      state: bucket(4),
      isGranted: false,
      paid: 0,
    });
  });

  it('still grants a cheap retry when it cannot grant an expensive one', () => {
    expect(allowsRetry(aws, bucket(5), 0, 'timeout')).toBe(false);
    expect(allowsRetry(aws, bucket(5), 0)).toBe(true);
  });

  it('refunds 1 token for a success without a retry', () => {
    expect(stepBudget(aws, bucket(100), { type: 'success' }, 0).state).toEqual(bucket(101));
    expect(stepBudget(aws, bucket(100), { type: 'success', paid: undefined }, 0).state).toEqual(bucket(101));
  });

  it('refunds nothing to a call whose latest retry was free', () => {
    expect(stepBudget(aws, bucket(100), { type: 'success', paid: 0 }, 0).state).toEqual(bucket(100));
  });

  it('refunds what a successful call paid', () => {
    expect(stepBudget(aws, bucket(100), { type: 'success', paid: 15 }, 0).state).toEqual(bucket(115));
  });

  it('never has more tokens than its capacity', () => {
    expect(stepBudget(aws, bucket(500), { type: 'success' }, 0).state).toEqual(bucket(500));
    expect(stepBudget(aws, bucket(495), { type: 'success', paid: 10 }, 0).state).toEqual(bucket(500));
  });

  it.each(['request', 'failure'] as const)('is not moved by a %s', (type) => {
    expect(stepBudget(aws, bucket(100), { type }, 0)).toEqual({
      state: bucket(100),
      isGranted: true,
      paid: 0,
    });
  });

  it('has enough after ten tenths of a token', () => {
    const success: BudgetEvent = { type: 'success' };
    const left = tokensAfter({ capacity: 1, costs: { default: 1 }, refund: 0.1 }, [
      { type: 'retry' },
      ...Array.from({ length: 10 }, () => success),
      { type: 'retry' },
    ]);

    expect(left).toBeCloseTo(0, 6);
  });
});

describe('a token bucket with a refill', () => {
  const refilled = defineBudget({
    type: 'token-bucket',
    capacity: 10,
    costs: { default: 5 },
    refillPerSecond: 2,
  });

  it('wins tokens by time', () => {
    expect(stepBudget(refilled, bucket(0, 1_000), { type: 'request' }, 2_500).state).toEqual(
      bucket(3, 2_500),
    );
  });

  it('grants retries with refilled tokens', () => {
    expect(allowsRetry(refilled, bucket(0), 2_499)).toBe(false);
    expect(allowsRetry(refilled, bucket(0), 2_500)).toBe(true);
  });

  it('does not fill over its capacity', () => {
    expect(stepBudget(refilled, bucket(9), { type: 'request' }, 1e9).state).toEqual(bucket(10, 1e9));
  });

  it('wins the same in many small steps as in one', () => {
    let state = bucket(0);
    for (let now = 250; now <= 4_000; now += 250) {
      state = stepBudget(refilled, state, { type: 'request' }, now).state;
    }

    expect(state).toEqual(bucket(8, 4_000));
  });

  it('wins nothing from a clock that goes backwards, nor twice from the same second', () => {
    const back = stepBudget(refilled, bucket(0, 5_000), { type: 'request' }, 1_000).state;

    expect(back).toEqual(bucket(0, 5_000));
    expect(stepBudget(refilled, back, { type: 'request' }, 5_000).state).toEqual(bucket(0, 5_000));
  });
});

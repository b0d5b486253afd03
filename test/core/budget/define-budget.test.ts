import { InvalidOptionsError } from '@retry/core';
import type { BudgetInput } from '@retry/core/budget';
import { defineBudget } from '@retry/core/budget';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function problemsOf(input: unknown): unknown {
  try {
    return defineBudget(input as BudgetInput); // what JavaScript callers and files give
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
}

describe('defineBudget', () => {
  it('fills in the numbers of the AWS SDK', () => {
    expect(defineBudget({ type: 'token-bucket' })).toEqual({
      type: 'token-bucket',
      capacity: 500,
      costs: { default: 5, timeout: 10 },
      refund: 1,
      refillPerSecond: 0,
    });
  });

  it('fills in the numbers of Finagle', () => {
    expect(defineBudget({ type: 'ratio' })).toEqual({
      type: 'ratio',
      ratio: 0.2,
      minPerSecond: 10,
      windowMs: 10_000,
    });
  });

  it('fills in the numbers of gRPC', () => {
    expect(defineBudget({ type: 'throttle' })).toEqual({ type: 'throttle', maxTokens: 10, tokenRatio: 0.1 });
  });

  it('counts undefined as absent, in types, too', () => {
    const none = undefined;

    expect(defineBudget({ type: 'token-bucket', capacity: none, costs: none })).toEqual(
      defineBudget({ type: 'token-bucket' }),
    );
    expect(defineBudget({ type: 'ratio', ratio: none, window: none })).toEqual(
      defineBudget({ type: 'ratio' }),
    );
    expect(defineBudget({ type: 'throttle', tokenRatio: none })).toEqual(defineBudget({ type: 'throttle' }));
  });

  it('reads what is written, durations as text', () => {
    expect(defineBudget({ type: 'ratio', ratio: 0.5, minPerSecond: 0, window: '1m' })).toEqual({
      type: 'ratio',
      ratio: 0.5,
      minPerSecond: 0,
      windowMs: 60_000,
    });
  });

  it('has a default price if only other prices are set', () => {
    expect(defineBudget({ type: 'token-bucket', costs: { throttle: 20 } })).toMatchObject({
      costs: { default: 5, throttle: 20 },
    });
  });

  it('cannot be changed afterwards, nor through what it was made of', () => {
    const costs = { default: 1 };
    const budget = defineBudget({ type: 'token-bucket', costs });

    costs.default = 0;

    expect(budget).toMatchObject({ costs: { default: 1 } });
    expect(Object.isFrozen(budget)).toBe(true);
    expect(Object.isFrozen((budget as { costs: object }).costs)).toBe(true);
  });

  it.each<[string, string, unknown]>([
    ['no type', 'type', {}],
    ['an unknown type', 'type', { type: 'leaky-bucket' }],
    ['a key of another budget', 'ratio', { type: 'throttle', ratio: 0.2 }],
    ['a negative capacity', 'capacity', { type: 'token-bucket', capacity: -1 }],
    ['a capacity without end', 'capacity', { type: 'token-bucket', capacity: 'Infinity' }],
    ['fewer tokens than a retry costs', 'capacity', { type: 'token-bucket', capacity: 3 }],
    ['too few for any', 'capacity', { type: 'token-bucket', capacity: 1, costs: { default: 3, timeout: 2 } }],
    ['a price that is null', 'costs.default', { type: 'token-bucket', costs: { default: null } }],
    ['a negative price', 'costs.timeout', { type: 'token-bucket', costs: { timeout: -1 } }],
    ['a price as text', 'costs.timeout', { type: 'token-bucket', costs: { timeout: '10' } }],
    ['prices that are none', 'costs', { type: 'token-bucket', costs: 5 }],
    ['a refund that is null', 'refund', { type: 'token-bucket', refund: null }],
    ['a ratio that is no number', 'ratio', { type: 'ratio', ratio: Number.NaN }],
    ['a window of 0', 'window', { type: 'ratio', window: 0 }],
    ['a window without end', 'window', { type: 'ratio', window: 'Infinity' }],
    ['a negative token ratio', 'tokenRatio', { type: 'throttle', tokenRatio: -0.1 }],
  ])('refuses %s, at %s', (_name, path, input) => {
    expect(problemsOf(input)).toEqual(expect.arrayContaining([expect.objectContaining({ path })]));
  });

  it.each([
    { type: 'token-bucket', capacity: 0 },
    { type: 'token-bucket', capacity: 5 },
    { type: 'token-bucket', capacity: 2, costs: { default: 3, timeout: 2 } },
    { type: 'token-bucket', capacity: 0.5, costs: { default: 0 } },
  ] as const)('takes a bucket that grants some retries, or none on purpose: %j', (input) => {
    expect(defineBudget(input)).toMatchObject({ capacity: input.capacity });
  });

  it.each<[unknown, object]>([
    [
      {},
      {
        path: 'type',
        value: undefined,
        message: 'is missing',
        cure: 'Use one of token-bucket, ratio, throttle.',
      },
    ],
    [
      { type: 'ratio', window: 0.5 },
      {
        path: 'window',
        value: 0.5,
        message: 'must be a finite duration ≥ 1 ms',
        cure: "Use milliseconds or text like '500ms', '2s', '5m'.",
      },
    ],
    [
      { type: 'throttle', maxTokens: -1 },
      {
        path: 'maxTokens',
        value: -1,
        message: 'must be a finite number ≥ 0',
        cure: 'Leave it out for the default.',
      },
    ],
  ])('reports the problem of %j with a cure', (input, problem) => {
    expect(problemsOf(input)).toEqual([problem]);
  });

  it.each([undefined, null, 3, 'token-bucket', [], () => 1])('refuses %s as a whole', (input) => {
    expect(problemsOf(input)).toEqual(expect.arrayContaining([expect.objectContaining({ path: '' })]));
  });

  it('lists every problem in one error', () => {
    const input = {
      type: 'token-bucket',
      capacity: -1,
      refund: 'x',
      costs: { default: -1, a: -2 },
      window: 1,
    };

    expect(problemsOf(input)).toHaveLength(5);
  });

  it('returns a budget or throws an InvalidOptionsError for any input', () => {
    const values = fc.oneof(fc.anything(), fc.constantFrom<unknown>(0, -1, 'Infinity', null, '1s', {}));
    const keys = [
      'capacity',
      'costs',
      'refund',
      'refillPerSecond',
      'ratio',
      'minPerSecond',
      'window',
      'maxTokens',
    ];
    const inputs = fc
      .tuple(
        fc.constantFrom<unknown>('token-bucket', 'ratio', 'throttle', 'x', null),
        fc.dictionary(fc.oneof(fc.constantFrom(...keys), fc.string()), values, { maxKeys: 3 }),
      )
      .map(([type, rest]) => ({ type, ...rest }));

    fc.assert(
      fc.property(fc.oneof(inputs, fc.anything()), (input) => {
        expect(problemsOf(input)).toBeTypeOf('object');
      }),
    );
  });
});

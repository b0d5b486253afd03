import {
  definePolicy,
  isRetryError,
  NonRetryableError,
  PolicyError,
  RetryAfterError,
  RetryError,
} from '@retry/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => vi.resetModules());

const problemOf = (value: unknown) => ({ path: 'maxAttempts', value, message: 'is wrong', cure: 'Use 1.' });

describe('RetryError', () => {
  it('is an error with a code, a message and a cause', () => {
    const cause = new Error('inner');

    const error = new RetryError('ASYNC_GATE', 'no promise', { cause });

    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'RetryError', code: 'ASYNC_GATE', message: 'no promise', cause });
  });

  it.each([
    ['@retry/error', new RetryError('ASYNC_GATE', 'no promise')],
    ['@retry/non-retryable', new NonRetryableError('no')],
    ['@retry/retry-after', new RetryAfterError('1s')],
  ])('carries the mark %s, by which other copies and versions know it', (mark, error) => {
    expect(Object.getOwnPropertyDescriptor(error, Symbol.for(mark))).toMatchObject({
      value: true,
      enumerable: false,
    });
  });

  it('shows its brand to no enumeration', () => {
    expect(Object.keys(new RetryError('ASYNC_GATE', 'no promise'))).toEqual(['name', 'code']);
  });
});

describe('PolicyError', () => {
  it('names path, value and cure of a problem', () => {
    const message = 'must be an integer ≥ 1';

    const error = new PolicyError([{ path: 'maxAttempts', value: 0, message, cure: 'Use 1 to run once.' }]);

    expect(error.message).toBe(
      'invalid policy\n- maxAttempts must be an integer ≥ 1, got 0. Use 1 to run once.',
    );
    expect(error).toMatchObject({ name: 'PolicyError', code: 'INVALID_POLICY' });
  });

  it('lists every problem, one per line, in the order given', () => {
    const problems = ['a', 'b', 'c'].map((path) => ({ ...problemOf(1), path }));

    const error = new PolicyError(problems);

    expect(error.problems).toBe(problems);
    expect(error.message.split('\n')).toEqual([
      'invalid policy',
      '- a is wrong, got 1. Use 1.',
      '- b is wrong, got 1. Use 1.',
      '- c is wrong, got 1. Use 1.',
    ]);
  });

  it('calls the empty path the policy', () => {
    const error = new PolicyError([{ ...problemOf(null), path: '' }]);

    expect(error.message).toBe('invalid policy\n- the policy is wrong, got null. Use 1.');
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['soon', '"soon"'],
    [Number.NaN, 'NaN'],
    [-0, '0'],
    [10n, '10'],
    [Symbol('s'), 'Symbol(s)'],
    [{ a: [1] }, '{"a":[1]}'],
    [{ big: 10n }, 'object'],
    [TypeError, 'function TypeError'],
    [Object.create(null), '{}'],
    [{ toJSON: () => undefined }, 'object'],
  ])('shows the value %o as %s', (value, shown) => {
    expect(new PolicyError([problemOf(value)]).message).toContain(`, got ${shown}. `);
  });

  it('cuts a long value to 80 characters', () => {
    const error = new PolicyError([problemOf('x'.repeat(1_000))]);

    expect(error.message).toContain(`, got "${'x'.repeat(79)}. `);
  });

  it('shows a value that contains itself', () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;

    expect(new PolicyError([problemOf(circle)]).message).toContain(', got object. ');
  });

  it('shows a class whose name is no text', () => {
    const odd = Object.defineProperty(class {}, 'name', { value: Symbol('odd') });

    expect(new PolicyError([problemOf(odd)]).message).toContain(', got function');
  });
});

describe('isRetryError', () => {
  it('knows the errors of this project', () => {
    expect(isRetryError(new RetryError('ASYNC_GATE', 'no promise'))).toBe(true);
    expect(isRetryError(new PolicyError([]))).toBe(true);
    expect(isRetryError(new NonRetryableError('no'))).toBe(true);
  });

  it('asks for the code when one is given', () => {
    const error = new PolicyError([]);

    expect(isRetryError(error, 'INVALID_POLICY')).toBe(true);
    expect(isRetryError(error, 'ASYNC_GATE')).toBe(false);
  });

  it.each([undefined, null, 'INVALID_POLICY', 5, {}, new Error('x'), { code: 'INVALID_POLICY' }, () => 1])(
    'says no to %o',
    (value) => {
      expect(isRetryError(value)).toBe(false);
    },
  );

  it('knows the errors of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('@retry/core');
    const error = catchFrom(() => copy.definePolicy({ maxAttempts: 0 }));

    expect(copy.definePolicy).not.toBe(definePolicy);
    expect(error).not.toBeInstanceOf(RetryError);
    expect(isRetryError(error, 'INVALID_POLICY')).toBe(true);
  });
});

function catchFrom(action: () => unknown): unknown {
  try {
    return action();
  } catch (thrown) {
    return thrown;
  }
}

import { inspect } from 'node:util';
import {
  definePolicy,
  InvalidOptionsError,
  isRetryError,
  NonRetryableError,
  RetryAfterError,
  RetryError,
} from '@retry/core';
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => vi.resetModules());

const problemOf = (value: unknown) => ({ path: 'maxAttempts', value, message: 'is wrong', cure: 'Use 1.' });

function circleWith(fields: object): object {
  const circle: { self?: unknown } = { ...fields };
  circle.self = circle;
  return circle;
}

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
  ])('carries the mark %s, by which other copies and versions recognise it', (mark, error) => {
    expect(Object.getOwnPropertyDescriptor(error, Symbol.for(mark))).toMatchObject({
      value: true,
      enumerable: false,
    });
  });

  it('shows its brand to no enumeration', () => {
    expect(Object.keys(new RetryError('ASYNC_GATE', 'no promise'))).toEqual(['name', 'code']);
  });
});

describe('InvalidOptionsError', () => {
  it('names path, value and cure of a problem', () => {
    const message = 'must be an integer ≥ 1';

    const error = new InvalidOptionsError([
      { path: 'maxAttempts', value: 0, message, cure: 'Use 1 to run once.' },
    ]);

    expect(error.message).toBe(
      'invalid policy\n- maxAttempts must be an integer ≥ 1, got 0. Use 1 to run once.',
    );
    expect(error).toMatchObject({ name: 'InvalidOptionsError', code: 'INVALID_OPTIONS' });
  });

  it('lists every problem, one per line, in the order given', () => {
    const problems = ['a', 'b', 'c'].map((path) => ({ ...problemOf(1), path }));

    const error = new InvalidOptionsError(problems);

    expect(error.problems).toEqual(problems.slice(0, 100));
    expect(error.message.split('\n')).toEqual([
      'invalid policy',
      '- a is wrong, got 1. Use 1.',
      '- b is wrong, got 1. Use 1.',
      '- c is wrong, got 1. Use 1.',
    ]);
  });

  it('calls the empty path the policy', () => {
    const error = new InvalidOptionsError([{ ...problemOf(null), path: '' }]);

    expect(error.message).toBe('invalid policy\n- the policy is wrong, got null. Use 1.');
  });

  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['soon', '"soon"'],
    [Number.NaN, 'NaN'],
    [-0, '0'],
    [10n, '10n'],
    [Symbol('s'), 'Symbol(s)'],
    [{ a: [1] }, '{"a":[1]}'],
    [{ big: 10n }, 'object'],
    [TypeError, 'function TypeError'],
    [Object.create(null), '{}'],
    [{ toJSON: () => undefined }, 'object'],
  ])('shows the value %o as %s', (value, shown) => {
    expect(new InvalidOptionsError([problemOf(value)]).message).toContain(`, got ${shown}. `);
  });

  it('says in a message of bounded length what is wrong with very many keys, and lists the first', () => {
    const problems = Array.from({ length: 2_000 }, (_, index) => ({
      ...problemOf(index),
      path: `${'k'.repeat(1_000)}${index}`,
    }));

    const error = new InvalidOptionsError(problems);

    expect(error.problems).toEqual(problems.slice(0, 100));
    expect(error.message.length).toBeLessThan(40_000);
    expect(error.message.split('\n').slice(101)).toEqual(['- and 1900 more']);
  });

  it('cuts a long value to 80 characters', () => {
    const error = new InvalidOptionsError([problemOf('x'.repeat(1_000))]);

    expect(error.message).toContain(`, got "${'x'.repeat(79)}. `);
  });

  it.each([
    ['as the value', problemOf('redis://app:s3cr3t@host:6379/0')],
    ['with signs that end a host', problemOf('postgres://app:s3cr3t/x?#@host/db')],
    ['in a URL with a slash too few', problemOf('redis:/app:s3cr3t@host')],
    ['before the line is cut', problemOf(`postgres://app:s3cr3t${'x'.repeat(200)}@host/db`)],
    ['in the query of a URL', problemOf('postgres://host/db?user=app&password=s3cr3t&ssl=1')],
    ['in a connection string', problemOf('host=localhost password=s3cr3t user=app')],
    ['in a URL object', problemOf(new URL('redis://app:s3cr3t@host:6379/0'))],
    ['deep in an object', problemOf({ url: ['redis://app:s3cr3t@host:6379/0'] })],
    ['under its name', problemOf({ socket: { password: 's3cr3t' } })],
    ['as an option of its own', { ...problemOf('s3cr3t'), path: 'password' }],
    ['as a key', { ...problemOf(1), path: 'redis://app:s3cr3t@host:6379/0' }],
    ['in an error', problemOf(new Error('no redis://app:s3cr3t@host'))],
  ])('shows no password, whatever prints it: %s', (_where, problem) => {
    const error = new InvalidOptionsError([problem]);

    expect(error.message).toContain('***');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
    expect(JSON.stringify(error)).not.toContain('s3cr3t');
  });

  it.each([
    ['an object that contains itself', circleWith({ password: 's3cr3t' })],
    ['an object that JSON cannot have', { password: 's3cr3t', size: 1n }],
  ])('shows no password of what cannot be printed: %s', (_what, value) => {
    const error = new InvalidOptionsError([problemOf(value)]);

    expect(error.problems[0]?.value).toBe('object');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cr3t');
  });

  it.each([
    ['a list', Array.from({ length: 1_000 }, (_, n) => ({ n, options: { retries: n } }))],
    ['an object', { settings: Array.from({ length: 50 }, (_, n) => ({ retries: n })) }],
    ['a text', 'x'.repeat(100_000)],
  ])(
    'has the beginning of a long value only, so that an error that nobody catches is printed in few lines: %s',
    (_what, value) => {
      const error = new InvalidOptionsError([problemOf(value)]);

      const text = typeof value === 'string' ? value : JSON.stringify(value);
      expect(text.startsWith(String(error.problems[0]?.value))).toBe(true);
      const { stack: _, ...printed } = error;
      expect(inspect(printed, { depth: 9 }).length).toBeLessThan(1_000);
    },
  );

  it.each(['user@example.com', 'https://example.com/a', 'a: /b @c', 'token', { tokens: 5 }])(
    'leaves what is no secret as it is: %o',
    (value) => {
      expect(new InvalidOptionsError([problemOf(value)]).problems[0]?.value).toBe(value);
    },
  );

  it('shows a value that contains itself', () => {
    expect(new InvalidOptionsError([problemOf(circleWith({}))]).message).toContain(', got object. ');
  });

  it('shows a function by its name, and says that one has none', () => {
    const messages = [problemOf(parseInt), problemOf((() => () => {})())].map(
      (problem) => new InvalidOptionsError([problem]).message,
    );

    expect(messages[0]).toContain(', got function parseInt. ');
    expect(messages[1]).toContain(', got function (anonymous). ');
  });

  it('shows a class whose name is no text', () => {
    const odd = Object.defineProperty(class {}, 'name', { value: Symbol('odd') });

    expect(new InvalidOptionsError([problemOf(odd)]).message).toContain(', got function');
  });
});

describe('isRetryError', () => {
  it('knows the errors of this project', () => {
    expect(isRetryError(new RetryError('ASYNC_GATE', 'no promise'))).toBe(true);
    expect(isRetryError(new InvalidOptionsError([]))).toBe(true);
    expect(isRetryError(new NonRetryableError('no'))).toBe(true);
  });

  it('asks for the code when one is given', () => {
    const error = new InvalidOptionsError([]);

    expect(isRetryError(error, 'INVALID_OPTIONS')).toBe(true);
    expect(isRetryError(error, 'ASYNC_GATE')).toBe(false);
  });

  it.each([undefined, null, 'INVALID_OPTIONS', 5, {}, new Error('x'), { code: 'INVALID_OPTIONS' }, () => 1])(
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
    expect(isRetryError(error, 'INVALID_OPTIONS')).toBe(true);
  });
});

function catchFrom(action: () => unknown): unknown {
  try {
    return action();
  } catch (thrown) {
    return thrown;
  }
}

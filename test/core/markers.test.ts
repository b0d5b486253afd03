import {
  AttemptTimeoutError,
  type Duration,
  InvalidOptionsError,
  isNonRetryable,
  NonRetryableError,
  RetryAfterError,
  TotalTimeoutError,
} from '@retry/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askedDelayMs } from '../../packages/core/src/markers.ts';

afterEach(() => vi.resetModules());

describe('NonRetryableError', () => {
  it('carries a name, a stable code, the message and the cause', () => {
    const cause = new Error('inner');

    const error = new NonRetryableError('bad input', { cause });

    expect(error).toMatchObject({
      name: 'NonRetryableError',
      code: 'NON_RETRYABLE',
      message: 'bad input',
      cause,
    });
  });
});

describe('RetryAfterError', () => {
  it.each<[Duration, number]>([
    ['30s', 30_000],
    [250, 250],
    [0, 0],
    ['Infinity', Infinity],
  ])('reads %s as %d ms', (delay, delayMs) => {
    expect(new RetryAfterError(delay).delayMs).toBe(delayMs);
  });

  it('has the delay in its default message', () => {
    expect(new RetryAfterError('30s').message).toBe('retry after 30s');
    expect(new RetryAfterError('30s', 'busy').message).toBe('busy');
  });

  it('keeps its code and cause', () => {
    const cause = new Error('inner');

    const error = new RetryAfterError(1, 'busy', { cause });

    expect(error).toMatchObject({ name: 'RetryAfterError', code: 'RETRY_AFTER', cause });
  });

  it.each([-1, Number.NaN, 'soon', undefined])('refuses %s with a cure', (delay) => {
    // What JavaScript callers can write.
    const create = () => new RetryAfterError(delay as Duration);

    expect(create).toThrow(InvalidOptionsError);
    expect(create).toThrow(
      /^invalid RetryAfterError\n- delay must be a duration ≥ 0, got .*\. Use milliseconds or text like '500ms', '2s', '5m'\.$/,
    );
  });
});

describe('RetryAfterError of an instant', () => {
  it.each([1e12, Date.UTC(2026, 0, 1), 1e13 - 1])('refuses %d, which is one in epoch milliseconds', (at) => {
    expect(() => new RetryAfterError(at)).toThrow(
      `delay must be a length of time from now, not an instant, got ${at}. Use at - Date.now(), in milliseconds.`,
    );
  });

  it.each([1e12 - 1, 1e13, Number.MAX_SAFE_INTEGER])('takes %d, which is none', (delayMs) => {
    expect(new RetryAfterError(delayMs)).toMatchObject({ delayMs });
  });

  it('says how long epoch seconds are as a delay', () => {
    expect(new RetryAfterError(1_767_225_600).message).toBe('retry after 20.45d');
  });

  it('takes as text what is as long', () => {
    expect(new RetryAfterError('20000d').delayMs).toBe(1.728e12);
  });
});

describe('AttemptTimeoutError', () => {
  it('has the attempt and the timeout in its message', () => {
    const error = new AttemptTimeoutError(1_500, 2);

    expect(error.message).toBe('attempt 2 took longer than 1500 ms');
    expect(error).toMatchObject({ name: 'AttemptTimeoutError', code: 'ATTEMPT_TIMEOUT', timeoutMs: 1_500 });
  });

  it('is not a NonRetryableError', () => {
    expect(isNonRetryable(new AttemptTimeoutError(1, 1))).toBe(false);
  });
});

describe('TotalTimeoutError', () => {
  it('has the attempt and the total timeout in its message', () => {
    const error = new TotalTimeoutError(10_000, 3);

    expect(error.message).toBe(
      'attempt 3 was cut, as all attempts and waits together took longer than 10000 ms',
    );
    expect(error).toMatchObject({ name: 'TotalTimeoutError', code: 'TOTAL_TIMEOUT', timeoutMs: 10_000 });
  });
});

describe('isNonRetryable', () => {
  it('recognises the class, its subclasses and errors of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('@retry/core');

    expect(isNonRetryable(new NonRetryableError('no'))).toBe(true);
    expect(isNonRetryable(new (class Child extends NonRetryableError {})('no'))).toBe(true);
    expect(copy.NonRetryableError).not.toBe(NonRetryableError);
    expect(isNonRetryable(new copy.NonRetryableError('no'))).toBe(true);
  });

  it.each([undefined, null, 'no', new Error('no'), { name: 'NonRetryableError' }])(
    'says no to %o',
    (value) => {
      expect(isNonRetryable(value)).toBe(false);
    },
  );

  it('does not read causes', () => {
    expect(isNonRetryable(new Error('outer', { cause: new NonRetryableError('no') }))).toBe(false);
  });
});

describe('askedDelayMs', () => {
  it('reads the delay of a RetryAfterError, also of another copy of the package', async () => {
    vi.resetModules();
    const copy = await import('@retry/core');

    expect(askedDelayMs(new RetryAfterError('2s'))).toBe(2_000);
    expect(askedDelayMs(new copy.RetryAfterError('3s'))).toBe(3_000);
  });

  it.each([undefined, null, 'x', { delayMs: 5 }, new Error('x')])('gives nothing for %o', (value) => {
    expect(askedDelayMs(value)).toBeUndefined();
  });

  it.each([Number.NaN, -5, '5', undefined])(
    'gives nothing for a RetryAfterError that asks for %s',
    (delayMs) => {
      const error = Object.assign(new RetryAfterError(1), { delayMs });

      expect(askedDelayMs(error)).toBeUndefined();
    },
  );
});

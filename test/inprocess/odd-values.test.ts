import { type GiveUpEvent, retry, retryInfo } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const FROZEN = Object.freeze(new Error('frozen'));
const THROWN = [undefined, null, '', 'text', 0, Number.NaN, Symbol.for('odd'), FROZEN, Object.create(null)];

describe('what is thrown', () => {
  it.each(THROWN)('is retried and rejected with unchanged: %s', async (value) => {
    const fn = vi.fn(() => {
      throw value;
    });

    expect(await rejectionOf(retry(fn, AT_ONCE))).toBe(value);
    expect(fn).toHaveBeenCalledTimes(3);
  });

  it('may have getters that throw', async () => {
    const hostile = Object.defineProperty({}, 'headers', {
      get: () => {
        throw new Error('no headers');
      },
    });

    expect(await rejectionOf(retry(() => Promise.reject(hostile), AT_ONCE))).toBe(hostile);
  });
});

describe('what is returned', () => {
  it.each([{}, { attemptTimeout: 1_000 }])('may be a thenable that is not a promise: %o', async (limits) => {
    let calls = 0;
    const fn = (): PromiseLike<string> => ({
      // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about.
      then: (resolve, reject) => {
        calls += 1;
        if (calls < 3) reject?.(new Error('busy'));
        else resolve?.('done');
        return new Promise(() => {});
      },
    });

    expect(await retry(fn, { ...AT_ONCE, ...limits })).toBe('done');
  });

  it.each([undefined, null, 0, Number.NaN])('may be %s', async (value) => {
    expect(await retry(() => value, AT_ONCE)).toBe(value);
  });
});

describe('a random that returns a rejecting promise', () => {
  const random = (): never => Promise.reject(new Error('no')) as never; // unhandled, it would end the test run

  it('ends the retrying with the error of the function, and the id is drawn elsewhere', async () => {
    const ids: string[] = [];
    const error = new Error('busy');
    const fn = vi.fn((): never => {
      throw error;
    });

    const reportError = vi.fn();
    const options = { random, reportError, onGiveUp: ({ id }: GiveUpEvent) => ids.push(id) };

    const rejection = await rejectionOf(retry(fn, {}, options));

    expect(rejection).toBe(error);
    expect(retryInfo(error)).toMatchObject({ reason: 'stopped', thrown: { code: 'ASYNC_GATE' } });
    expect(reportError.mock.calls).toEqual([[retryInfo(error)?.thrown]]);
    expect(ids[0]).toMatch(/^[\da-f-]{32,36}$/);
    expect(fn).toHaveBeenCalledTimes(1);
  });
});

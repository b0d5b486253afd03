import { InvalidOptionsError, type PolicyInput, RetryAfterError } from '@retry/core';
import { type AttemptContext, retry } from '@retry/inprocess';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

function withThrowingGetters(): Error {
  const get = (): never => {
    throw new Error('a getter was read');
  };
  const keys = ['name', 'message', 'code', 'status', 'cause', 'headers', 'response'];
  return Object.defineProperties(new Error('trap'), Object.fromEntries(keys.map((key) => [key, { get }])));
}

const hostile: ProxyHandler<object> = {
  get: () => {
    throw new Error('a key was read');
  },
  has: () => {
    throw new Error('a key was looked for');
  },
};

const UNTOUCHABLE = [
  ['undefined', undefined],
  ['null', null],
  ['a string', 'boom'],
  ['0', 0],
  ['NaN', Number.NaN],
  ['a symbol', Symbol('boom')],
  ['a frozen error', Object.freeze(new Error('frozen'))],
  ['an object with no prototype', Object.create(null)],
  ['an error whose getters throw', withThrowingGetters()],
] as const;

describe('retry', () => {
  it.each(UNTOUCHABLE)('retries %s and rejects with that very value', async (_name, error) => {
    const fn = alwaysFailing(error);

    const thrown = await rejectionOf(retry(fn, AT_ONCE));

    expect(Object.is(thrown, error)).toBe(true);
    expect(fn).toHaveBeenCalledTimes(3);
  });

  it('rejects with that very value even when nothing about it can be read', async () => {
    const error = new Proxy({}, hostile);

    const result = retry(alwaysFailing(error), AT_ONCE).catch((thrown: unknown) => thrown === error);

    expect(await result).toBe(true);
  });

  it('rejects with the last error, not the first and not the most frequent', async () => {
    const errors = [new Error('same'), new Error('same'), new Error('last')];

    const thrown = await rejectionOf(retry(failing(...errors), AT_ONCE));

    expect(thrown).toBe(errors[2]);
  });

  it('adds nothing to the error', async () => {
    const error = new Error('boom');
    const before = Reflect.ownKeys(error);

    await rejectionOf(retry(alwaysFailing(error), AT_ONCE));

    expect(Reflect.ownKeys(error)).toEqual(before);
    expect(Object.hasOwn(error, 'cause')).toBe(false);
  });

  it.each([1, 2, 5])('executes exactly maxAttempts times: %i', async (maxAttempts) => {
    const fn = alwaysFailing();

    await rejectionOf(retry(fn, { ...AT_ONCE, maxAttempts }));

    expect(fn).toHaveBeenCalledTimes(maxAttempts);
  });

  it('retries without an end when maxAttempts is Infinity', async () => {
    const fn = failing(...Array.from({ length: 100 }, () => new Error('boom')));

    const result = await retry(fn, { ...AT_ONCE, maxAttempts: Infinity });

    expect(result).toBe('done');
    expect(fn).toHaveBeenCalledTimes(101);
  });

  it('executes once when the policy is not retryable', async () => {
    const fn = alwaysFailing();

    await rejectionOf(retry(fn, { ...AT_ONCE, retryable: false }));

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('retries a synchronous throw', async () => {
    const fn = vi.fn(({ attempt }: AttemptContext) => {
      if (attempt < 3) throw new Error('immediately');
      return attempt;
    });

    const result = await retry(fn, AT_ONCE);

    expect(result).toBe(3);
  });

  it('awaits a thenable, also one that rejects', async () => {
    const rejecting: PromiseLike<string> = Promise.reject(new Error('boom'));
    const resolving: PromiseLike<string> = Promise.resolve('done');
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about.
    const thenable = (inner: PromiseLike<string>) => ({ then: inner.then.bind(inner) });

    const result = await retry(({ attempt }) => thenable(attempt === 1 ? rejecting : resolving), AT_ONCE);

    expect(result).toBe('done');
  });

  it('starts the first attempt before it returns', () => {
    const fn = vi.fn(() => 'done');

    void retry(fn, AT_ONCE);

    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('passes each attempt its number, the maximum and the previous error', async () => {
    const seen: unknown[] = [];

    await rejectionOf(
      retry(({ attempt, maxAttempts, isLast, previousError }) => {
        seen.push([attempt, maxAttempts, isLast, previousError]);
        throw `error ${attempt}`;
      }, AT_ONCE),
    );

    expect(seen).toEqual([
      [1, 3, false, undefined],
      [2, 3, false, 'error 1'],
      [3, 3, true, 'error 2'],
    ]);
  });

  it('passes each attempt a signal of its own, which does not abort on success', async () => {
    const signals: AbortSignal[] = [];

    await rejectionOf(
      retry(({ signal }) => {
        signals.push(signal);
        throw new Error('boom');
      }, AT_ONCE),
    );

    expect(new Set(signals).size).toBe(3);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  });

  it('unwraps the type of the result', () => {
    const nested = retry(async () => ({ id: 7 }), {});
    const plain = retry(() => 7 as number, {});

    expectTypeOf(nested).toEqualTypeOf<Promise<{ id: number }>>();
    expectTypeOf(plain).toEqualTypeOf<Promise<number>>();
  });

  it('refuses an invalid policy before it calls the function', async () => {
    const fn = vi.fn();
    const policy = { retries: 3 } as PolicyInput; // wrong on purpose

    const call = async (): Promise<unknown> => retry(fn, policy);

    expect(await rejectionOf(call())).toBeInstanceOf(InvalidOptionsError);
    expect(fn).not.toHaveBeenCalled();
  });

  it('rejects with the last RetryAfterError itself', async () => {
    const error = new RetryAfterError(0);

    const thrown = await rejectionOf(retry(alwaysFailing(error), AT_ONCE));

    expect(thrown).toBe(error);
  });
});

import { RetryAfterError } from '@retry/core';
import { retry } from '@retry/inprocess';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const EVERY_100_MS = { maxAttempts: 3, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('waiting between attempts', () => {
  it('takes exactly the computed delay', async () => {
    const clock = createFakeClock();
    const fn = failing('one', 'two');
    const policy = { backoff: { type: 'exponential', base: 100 }, jitter: 'full' } as const;

    const result = retry(fn, policy, { clock, random: () => 0.5 });
    await clock.advance(49);
    expect(fn).toHaveBeenCalledTimes(1);
    await clock.advance(1);
    expect(fn).toHaveBeenCalledTimes(2);
    await clock.advance(99);
    expect(fn).toHaveBeenCalledTimes(2);
    await clock.advance(1);

    expect(await result).toBe('done');
    expect(clock.delays).toEqual([50, 100]);
  });

  it('reads Math.random at each call as the default source', async () => {
    const clock = createFakeClock();
    vi.spyOn(Math, 'random').mockReturnValue(0.25);

    const result = retry(failing('one'), { backoff: { type: 'constant', base: 100 } }, { clock });
    await clock.advance(25);

    expect(await result).toBe('done');
    expect(clock.delays).toEqual([25]);
  });

  it('uses fake timers that were installed after the module was loaded', async () => {
    vi.useFakeTimers();
    const fn = failing('one');

    const result = retry(fn, EVERY_100_MS);
    await vi.advanceTimersByTimeAsync(99);
    expect(fn).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(await result).toBe('done');
    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('sets no timer for a delay of 0', async () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');
    const clock = createFakeClock();

    await retry(failing(1, 2, 3, 4, 5), { ...AT_ONCE, maxAttempts: 6 });
    await retry(failing(1, 2, 3, 4, 5), { ...AT_ONCE, maxAttempts: 6 }, { clock });

    expect(setTimeout).not.toHaveBeenCalled();
    expect(clock.delays).toEqual([]);
  });

  it('does not follow the last failure', async () => {
    const clock = createFakeClock();

    const result = rejectionOf(retry(alwaysFailing('boom'), EVERY_100_MS, { clock }));
    await clock.advance(200);

    expect(await result).toBe('boom');
    expect(clock.now()).toBe(1_000_200);
    expect(clock.delays).toEqual([100, 100]);
  });

  it('uses the previous delay for decorrelated backoff', async () => {
    const clock = createFakeClock();
    const policy = { maxAttempts: 4, backoff: { type: 'decorrelated', base: 100 } } as const;

    const result = rejectionOf(retry(alwaysFailing(), policy, { clock, random: () => 0.5 }));
    await clock.advance(10_000);
    await result;

    expect(clock.delays).toEqual([200, 350, 575]);
  });
});

describe('a wait that is longer than the longest timer', () => {
  const sixtyDays = { maxAttempts: 2, backoff: { type: 'constant', base: '60d' }, jitter: 'none' } as const;

  it('makes no attempt before its end, and exactly one after', async () => {
    vi.useFakeTimers();
    const fn = alwaysFailing('boom');

    const result = rejectionOf(retry(fn, sixtyDays));
    await vi.advanceTimersByTimeAsync(5_183_999_999);
    expect(fn).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1);

    expect(await result).toBe('boom');
    expect(fn).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['first', 1],
    ['second', 2_147_483_648],
    ['third', 4_294_967_295],
  ])('ends immediately by an abort in its %s part', async (_name, elapsedMs) => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const fn = alwaysFailing('boom');

    const result = rejectionOf(retry(fn, sixtyDays, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(elapsedMs);
    controller.abort('enough');

    expect(await result).toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(5_184_000_000);
    expect(fn).toHaveBeenCalledTimes(1);
  });
});

describe('a long loop', () => {
  it('of 30 000 retries ends with a flat stack, also the asynchronous one', async () => {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = Infinity;
    const depths = new Map<number, number | undefined>();

    const result = await retry(
      ({ attempt }) => {
        if (attempt % 10_000 === 100) depths.set(attempt, new Error('here').stack?.split('\n').length);
        if (attempt <= 30_000) throw 'boom';
        return attempt;
      },
      { ...AT_ONCE, maxAttempts: 30_001 },
    ).finally(() => {
      Error.stackTraceLimit = limit;
    });

    expect(result).toBe(30_001);
    expect([...depths.keys()]).toEqual([100, 10_100, 20_100]);
    expect(new Set(depths.values()).size).toBe(1);
  });
});

describe('a delay that the server asks for', () => {
  const asking = (value: string): Error =>
    Object.assign(new Error('busy'), { headers: new Headers({ 'retry-after': value }) });

  it.each([
    ['raises our own: Retry-After', asking('2'), 2_000],
    ['raises our own: an HTTP date', asking('Thu, 01 Jan 1970 00:16:45 GMT'), 5_000],
    ['raises our own: a RetryAfterError', new RetryAfterError('5s'), 5_000],
    ['is a floor, so that our own longer one stays', new RetryAfterError(50), 100],
    ['may be as long as retryAfter.max', asking('60'), 60_000],
    ['counts for nothing when it cannot be read', asking('soon'), 100],
  ])('%s', async (_name, error, delayMs) => {
    const clock = createFakeClock();

    const result = retry(failing(error), EVERY_100_MS, { clock, random: () => 0 });
    await clock.advance(delayMs);

    expect(await result).toBe('done');
    expect(clock.delays).toEqual([delayMs]);
  });

  it.each([
    ['Retry-After', asking('61')],
    ['an absurd Retry-After', asking('9999999999')],
    ['a RetryAfterError', new RetryAfterError('61s')],
  ])('ends the retrying immediately when it is longer than retryAfter.max: %s', async (_name, error) => {
    const clock = createFakeClock();
    const fn = alwaysFailing(error);

    const thrown = await rejectionOf(retry(fn, EVERY_100_MS, { clock }));

    expect(thrown).toBe(error);
    expect(fn).toHaveBeenCalledTimes(1);
    expect(clock.delays).toEqual([]);
  });
});

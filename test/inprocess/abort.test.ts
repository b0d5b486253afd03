import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { PolicyInput } from '@retry/core';
import { type AttemptContext, createRetryGroup, type RetryOptions, retry, withRetry } from '@retry/inprocess';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const EVERY_HOUR = { maxAttempts: 3, backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;
const REASONS = [null, 0, '', 'enough', new Error('enough'), new DOMException('slow', 'TimeoutError')];

const unhandled = vi.fn();
let controller: AbortController;

beforeEach(() => {
  controller = new AbortController();
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(() => {
  process.off('unhandledRejection', unhandled);
  vi.useRealTimers();
});

const listeners = (): number => getEventListeners(controller.signal, 'abort').length;

describe('a signal that has aborted before the call', () => {
  it.each([AT_ONCE, { ...AT_ONCE, attemptTimeout: 1_000 }])('lets no attempt start: %o', async (policy) => {
    const fn = vi.fn();

    const thrown = await rejectionOf(retry(fn, policy, { signal: AbortSignal.abort('enough') }));

    expect(thrown).toBe('enough');
    expect(fn).not.toHaveBeenCalled();
  });
});

describe('a signal without a reason, as that of React Native', () => {
  class OldSignal extends EventTarget {
    aborted = false;

    abort(): void {
      this.aborted = true;
      this.dispatchEvent(new Event('abort'));
    }
  }

  it.each(['before', 'during'])('rejects with an AbortError when it aborts %s the call', async (when) => {
    const signal = new OldSignal();
    if (when === 'before') signal.abort();

    const result = rejectionOf(retry(alwaysFailing(), EVERY_HOUR, { signal: signal as never }));
    await setImmediate();
    signal.abort();

    expect(await result).toMatchObject({ name: 'AbortError', message: expect.stringContaining('aborted') });
  });
});

describe('an abort during the wait', () => {
  it.each(REASONS)('rejects immediately with signal.reason: %s', async (reason) => {
    vi.useFakeTimers();
    const fn = alwaysFailing();

    const result = rejectionOf(retry(fn, EVERY_HOUR, { signal: controller.signal }));
    await vi.advanceTimersByTimeAsync(10);
    expect(vi.getTimerCount()).toBe(1);
    controller.abort(reason);

    expect(await result).toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
    expect(listeners()).toBe(0);
    await vi.advanceTimersByTimeAsync(100_000_000);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('rejects with the platform’s AbortError when no reason is given', async () => {
    const clock = createFakeClock();

    const result = rejectionOf(retry(alwaysFailing(), EVERY_HOUR, { clock, signal: controller.signal }));
    await clock.advance(10);
    controller.abort(undefined);

    expect(await result).toBe(controller.signal.reason);
    expect(await result).toMatchObject({ name: 'AbortError' });
  });

  it('in onRetry ends the call before the wait begins', async () => {
    const clock = createFakeClock();
    const fn = alwaysFailing();
    const onRetry = (): void => controller.abort('enough');

    const thrown = await rejectionOf(retry(fn, EVERY_HOUR, { clock, signal: controller.signal, onRetry }));

    expect(thrown).toBe('enough');
    expect(fn).toHaveBeenCalledTimes(1);
    expect(clock.delays).toEqual([]);
  });

  it('ends every waiting call without another attempt', async () => {
    const clock = createFakeClock();
    const fn = alwaysFailing();
    const call = withRetry(fn, EVERY_HOUR, { clock, signal: controller.signal });

    const results = Array.from({ length: 1_000 }, () => rejectionOf(call()));
    await clock.advance(10);
    controller.abort('enough');

    expect(new Set(await Promise.all(results))).toEqual(new Set(['enough']));
    expect(clock.pending()).toBe(0);
    expect(fn).toHaveBeenCalledTimes(1_000);
  });
});

describe('an abort during an attempt', () => {
  it.each(REASONS)('rejects immediately and aborts the attempt, with signal.reason: %s', async (reason) => {
    const fn = vi.fn((_context: AttemptContext) => new Promise(() => {}));

    const result = rejectionOf(retry(fn, AT_ONCE, { signal: controller.signal }));
    controller.abort(reason);

    expect(await result).toBe(reason);
    expect(fn).toHaveBeenCalledTimes(1);
    expect(fn.mock.calls[0]?.[0].signal.reason).toBe(reason);
    expect(listeners()).toBe(0);
  });

  it.each([
    ['a late result', () => 'late'],
    ['a late failure', () => Promise.reject(new Error('late'))],
  ])('swallows %s', async (_name, end) => {
    const clock = createFakeClock();
    const fn = vi.fn(() => new Promise((resolve) => clock.setTimer(() => resolve(end()), 500)));

    const result = rejectionOf(retry(fn, AT_ONCE, { signal: controller.signal }));
    controller.abort('enough');
    await clock.advance(500);
    await setImmediate();

    expect(await result).toBe('enough');
    expect(fn).toHaveBeenCalledTimes(1);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('takes precedence over the error that the attempt throws because of it', async () => {
    const result = retry(
      ({ signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('my own words')));
        }),
      AT_ONCE,
      { signal: controller.signal },
    );
    controller.abort('enough');

    expect(await rejectionOf(result)).toBe('enough');
  });

  it('has no effect on a call that has ended', async () => {
    const result = await retry(() => 'done', AT_ONCE, { signal: controller.signal });
    controller.abort();

    expect(result).toBe('done');
  });
});

describe('an abort inside a function that the call calls', () => {
  it.each<[string, (abort: () => boolean) => { policy?: PolicyInput; options?: RetryOptions }]>([
    ['retryIf, that says yes', (abort) => ({ policy: { retryIf: () => abort() } })],
    ['retryIf, that says no', (abort) => ({ policy: { retryIf: () => !abort() } })],
    ['a predicate', (abort) => ({ policy: { stopOn: [() => !abort()] } })],
    ['random', (abort) => ({ options: { random: () => Number(!abort()) } })],
    ['onAttempt', (abort) => ({ options: { onAttempt: () => void abort() } })],
    ['onRetry', (abort) => ({ options: { onRetry: () => void abort() } })],
    ['retryIfResult, that takes the result', (abort) => ({ options: { retryIfResult: () => !abort() } })],
    ['retryIfResult, that refuses it', (abort) => ({ options: { retryIfResult: () => abort() } })],
  ])('ends it once, as aborted: %s', async (name, asking) => {
    const { policy, options } = asking(() => {
      controller.abort('enough');
      return true;
    });
    const group = createRetryGroup();
    const onGiveUp = vi.fn();
    const fn = name.startsWith('retryIfResult') ? () => 'done' : alwaysFailing();

    const given = { signal: controller.signal, group, onGiveUp, ...options };
    const thrown = await rejectionOf(retry(fn, { ...EVERY_HOUR, jitter: 'full', ...policy }, given));

    expect(thrown).toBe('enough');
    expect(onGiveUp).toHaveBeenCalledTimes(1);
    const attempt = name === 'onAttempt' ? 0 : 1;
    expect(onGiveUp.mock.calls[0]?.[0]).toMatchObject({ reason: 'aborted', error: 'enough', attempt });
    expect([group.active(), group.waiting()]).toEqual([0, []]);
  });
});

describe('listeners on the caller’s signal', () => {
  it.each([
    ['success', failing('one')],
    ['failure', alwaysFailing()],
  ])('are gone after %s, as many as there were', async (_name, fn) => {
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    const clock = createFakeClock();

    const result = Promise.allSettled([retry(fn, EVERY_HOUR, { clock, signal: controller.signal })]);
    await clock.advance(36_000_000);
    await result;
    await setImmediate();

    expect(add.mock.calls.length).toBeGreaterThan(0);
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length);
    expect(listeners()).toBe(0);
  });

  it('are one for 10 000 concurrent calls, and none after them', async () => {
    const clock = createFakeClock();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const answer = new Promise<void>((resolve) => clock.setTimer(resolve, 10));
    const call = withRetry(() => answer, AT_ONCE, { signal: controller.signal });

    const results = Array.from({ length: 10_000 }, call);

    expect(add).toHaveBeenCalledTimes(1);
    expect(listeners()).toBe(1);
    await clock.advance(10);
    await Promise.all(results);
    await setImmediate();
    expect(listeners()).toBe(0);
  });

  it('are at most one for 10 000 calls one after the other', async () => {
    const counts = new Set<number>();
    const call = withRetry(async () => counts.add(listeners()), AT_ONCE, { signal: controller.signal });

    for (let count = 0; count < 10_000; count += 1) await call();

    expect(counts).toEqual(new Set([1]));
    await setImmediate();
    expect(listeners()).toBe(0);
  });
});

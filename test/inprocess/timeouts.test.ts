import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
import { type AttemptContext, type GiveUpEvent, retry } from '@retry/inprocess';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf, failing, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const NEVER = new Promise<never>(() => {});
const AFTER_600_MS = { maxAttempts: 5, backoff: { type: 'constant', base: 600 }, jitter: 'none' } as const;
const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

describe('attemptTimeout', () => {
  it('is an ordinary failure, retried by default', async () => {
    const fn = vi.fn(({ attempt }: AttemptContext) => (attempt === 1 ? NEVER : 'done'));

    const result = retry(fn, { ...AT_ONCE, attemptTimeout: 100 }, { clock });
    await clock.advance(100);

    expect(await result).toBe('done');
    expect(fn).toHaveBeenCalledTimes(2);
  });

  it('rejects with the last AttemptTimeoutError and starts no attempt afterwards', async () => {
    const fn = vi.fn(() => NEVER);

    const result = rejectionOf(retry(fn, { ...AT_ONCE, attemptTimeout: 100 }, { clock }));
    await clock.advance(300);

    expect(await result).toBeInstanceOf(AttemptTimeoutError);
    expect(await result).toMatchObject({ message: 'attempt 3 took longer than 100 ms' });
    await clock.advance(1_000_000);
    expect(fn).toHaveBeenCalledTimes(3);
    expect(clock.pending()).toBe(0);
  });

  it.each([[[AttemptTimeoutError]], [[{ code: 'ATTEMPT_TIMEOUT' }]]])(
    'ends the retrying when stopOn names it: %o',
    async (stopOn) => {
      const fn = vi.fn(() => NEVER);

      const result = rejectionOf(retry(fn, { ...AT_ONCE, attemptTimeout: 100, stopOn }, { clock }));
      await clock.advance(1_000);

      expect(await result).toBeInstanceOf(AttemptTimeoutError);
      expect(fn).toHaveBeenCalledTimes(1);
    },
  );

  it('has its own timeout and signal for each attempt, and does not abort the caller’s', async () => {
    const { signal } = new AbortController();
    const seen: AbortSignal[] = [];
    const fn = (context: AttemptContext): Promise<never> => {
      expect(context.signal.aborted).toBe(false);
      seen.push(context.signal);
      return NEVER;
    };

    const result = rejectionOf(retry(fn, { ...AT_ONCE, attemptTimeout: 100 }, { clock, signal }));
    await clock.advance(300);
    await result;

    expect(new Set(seen).size).toBe(3);
    expect(seen.map(({ reason }) => reason.message)).toEqual([
      'attempt 1 took longer than 100 ms',
      'attempt 2 took longer than 100 ms',
      'attempt 3 took longer than 100 ms',
    ]);
    expect(signal.aborted).toBe(false);
  });

  it('leaves no timer when the attempt ends in time', async () => {
    await retry(failing('one'), { ...AT_ONCE, attemptTimeout: 100 }, { clock });

    expect(clock.delays).toEqual([100]);
    expect(clock.pending()).toBe(0);
  });

  it('ignores the later result of a timed-out attempt', async () => {
    const late = new Promise<string>((resolve) => clock.setTimer(() => resolve('late'), 150));
    const onTime = new Promise<string>((resolve) => clock.setTimer(() => resolve('on time'), 190));

    const result = retry(
      ({ attempt }) => (attempt === 1 ? late : onTime),
      { ...AT_ONCE, attemptTimeout: 100 },
      {
        clock,
      },
    );
    await clock.advance(200);

    expect(await result).toBe('on time');
  });
});

describe('totalTimeout', () => {
  it('is never waited past: the call rejects with the last error immediately', async () => {
    const fn = failing('one', 'two', 'three');

    const result = rejectionOf(retry(fn, { ...AFTER_600_MS, totalTimeout: 1_000 }, { clock }));
    await clock.advance(600);

    expect(await result).toBe('two');
    expect(clock.now()).toBe(1_000_600);
    expect(fn).toHaveBeenCalledTimes(2);
    expect(clock.pending()).toBe(0);
  });

  it('lets no attempt start exactly at its end', async () => {
    const fn = alwaysFailing('boom');

    const thrown = await rejectionOf(retry(fn, { ...AFTER_600_MS, totalTimeout: 600 }, { clock }));

    expect(thrown).toBe('boom');
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('interrupts an attempt, also without an attemptTimeout', async () => {
    const fn = vi.fn((_context: AttemptContext) => NEVER);

    const result = rejectionOf(retry(fn, { ...AFTER_600_MS, totalTimeout: 1_000 }, { clock }));
    await clock.advance(1_000);

    expect(await result).toBeInstanceOf(TotalTimeoutError);
    expect(fn.mock.calls[0]?.[0].signal.reason).toBe(await result);
    expect(fn.mock.calls[0]?.[0].signal.aborted).toBe(true);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('reduces the timeout of an attempt to what is left', async () => {
    const fn = vi.fn(({ attempt }: AttemptContext) => (attempt === 1 ? Promise.reject('one') : NEVER));
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const result = rejectionOf(
      retry(fn, { ...AFTER_600_MS, attemptTimeout: 800, totalTimeout: 1_000 }, { clock, onGiveUp: onGiveUp }),
    );
    await clock.advance(1_000);

    expect(await result).toMatchObject({ code: 'TOTAL_TIMEOUT', timeoutMs: 1_000 });
    expect(clock.delays).toEqual([800, 600, 400]);
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 2, error: await result, reason: 'total-timeout' }]]);
  });

  it('keeps a shorter attemptTimeout', async () => {
    await retry(() => 'done', { ...AT_ONCE, attemptTimeout: 100, totalTimeout: 1_000 }, { clock });

    expect(clock.delays).toEqual([100]);
  });

  it('lets no attempt start when the timer of the wait is late', async () => {
    const fn = alwaysFailing('boom');
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const result = rejectionOf(
      retry(fn, { ...AFTER_600_MS, totalTimeout: 1_000 }, { clock, onGiveUp: onGiveUp }),
    );
    await clock.block(1_500);

    expect(await result).toBe('boom');
    expect(fn).toHaveBeenCalledTimes(1);
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error: 'boom', reason: 'total-timeout' }]]);
  });

  it('lets the first attempt start, however little time there is', async () => {
    const times = [1_000_000, 1_000_002];
    const slow = { ...clock, now: () => times.shift() ?? 1_000_002 };

    const result = await retry(() => 'done', { ...AT_ONCE, totalTimeout: 1 }, { clock: slow });

    expect(result).toBe('done');
  });

  it('counts from the start of each call', async () => {
    const policy = { ...AFTER_600_MS, totalTimeout: 1_000 };
    await retry(() => 'done', policy, { clock });
    await clock.advance(5_000);

    const result = retry(failing('one'), policy, { clock });
    await clock.advance(600);

    expect(await result).toBe('done');
  });
});

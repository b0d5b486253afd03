import { setImmediate } from 'node:timers/promises';
import { createRetryGroup, type GiveUpEvent, retry, withRetry } from '@retry/inprocess';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const POLICY = { maxAttempts: 2, backoff: { type: 'none' }, initialDelay: 500 } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

describe('initialDelay', () => {
  it('is waited for once, before the first attempt', async () => {
    const fn = vi.fn(async (): Promise<number> => {
      if (fn.mock.calls.length < 2) throw new Error('boom');
      return clock.now();
    });

    const result = withRetry(fn, POLICY, { clock })();
    await clock.advance(499);
    expect(fn).not.toHaveBeenCalled();
    await clock.advance(1);

    expect(await result).toBe(1_000_500);
    expect(clock.delays).toEqual([500]);
  });

  it('ends immediately by an abort: no attempt is made', async () => {
    const controller = new AbortController();
    const [fn, onGiveUp] = [vi.fn(), vi.fn<(event: GiveUpEvent) => void>()];

    const result = rejectionOf(retry(fn, POLICY, { clock, signal: controller.signal, onGiveUp: onGiveUp }));
    await setImmediate();
    controller.abort('enough');

    expect(await result).toBe('enough');
    expect(clock.pending()).toBe(0);
    expect(fn).not.toHaveBeenCalled();
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 0, error: 'enough', reason: 'aborted' }]]);
  });

  it('does not start under a signal that has aborted', async () => {
    const signal = AbortSignal.abort('enough');

    expect(await rejectionOf(retry(vi.fn(), POLICY, { clock, signal }))).toBe('enough');
    expect(clock.delays).toEqual([]);
  });

  it('counts against the total timeout', async () => {
    const fn = vi.fn(() => new Promise<never>(() => {}));

    const result = rejectionOf(retry(fn, { ...POLICY, totalTimeout: 800 }, { clock }));
    await clock.advance(800);

    expect(await result).toMatchObject({ code: 'TOTAL_TIMEOUT', timeoutMs: 800 });
    expect(clock.delays).toEqual([500, 300]);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('lets no attempt start when its timer fires after the total timeout', async () => {
    const fn = vi.fn();

    const result = rejectionOf(retry(fn, { ...POLICY, totalTimeout: 800 }, { clock }));
    await clock.block(900);

    expect(await result).toMatchObject({
      ...{ code: 'TOTAL_TIMEOUT', timeoutMs: 800 },
      message: 'the initialDelay left no time for an attempt within 800 ms',
    });
    expect(fn).not.toHaveBeenCalled();
  });

  it('is listed by the group, and ends when the group drains', async () => {
    const group = createRetryGroup();
    const fn = alwaysFailing();

    const result = rejectionOf(retry(fn, POLICY, { clock, group }));
    await setImmediate();
    expect(group.waiting()).toMatchObject([{ attempt: 0, error: undefined, retryAt: 1_000_500 }]);
    await group.drain();

    expect(await result).toMatchObject({ code: 'SHUTDOWN' });
    expect(fn).not.toHaveBeenCalled();
    expect([group.active(), clock.pending()]).toEqual([0, 0]);
  });
});

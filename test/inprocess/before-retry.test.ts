import { setImmediate } from 'node:timers/promises';
import { TotalTimeoutError } from '@retry/core';
import {
  createRetryGroup,
  type GiveUpEvent,
  RefusedResultError,
  type RetryEvent,
  retry,
  retryInfo,
  tryRetry,
  withRetry,
} from '@retry/inprocess';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf, failing, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const NEVER = new Promise<never>(() => {});
const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;
const EVERY_100_MS = { maxAttempts: 3, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

describe('beforeRetry', () => {
  it('is awaited after the wait, right before each retry', async () => {
    const steps: string[] = [];
    const fn = async (): Promise<never> => {
      steps.push(`attempt at ${clock.now() - 1_000_000}`);
      throw new Error('boom');
    };
    const beforeRetry = async ({ attempt }: RetryEvent): Promise<void> => {
      steps.push(`before, after attempt ${attempt}, at ${clock.now() - 1_000_000}`);
      await new Promise<void>((resolve) => void clock.setTimer(resolve, 50));
    };

    const result = rejectionOf(retry(fn, EVERY_100_MS, { clock, beforeRetry }));
    await clock.advance(1_000);
    await result;

    expect(steps).toEqual([
      'attempt at 0',
      'before, after attempt 1, at 100',
      'attempt at 150',
      'before, after attempt 2, at 250',
      'attempt at 300',
    ]);
  });

  it('receives the event of the retry', async () => {
    const beforeRetry = vi.fn();

    const result = rejectionOf(retry(failing('one', 'two', 'three'), EVERY_100_MS, { clock, beforeRetry }));
    await clock.advance(200);
    await result;

    expect(detailsOf(beforeRetry)).toEqual([
      [{ attempt: 1, error: 'one', delayMs: 100 }],
      [{ attempt: 2, error: 'two', delayMs: 100 }],
    ]);
  });

  it('receives the result if a result is retried', async () => {
    const beforeRetry = vi.fn();

    await retry(() => 'pending', { ...AT_ONCE, maxAttempts: 2 }, { beforeRetry, retryIfResult: () => true });

    expect(detailsOf(beforeRetry)).toEqual([
      [{ attempt: 1, error: expect.any(RefusedResultError), result: 'pending', delayMs: 0 }],
    ]);
  });

  it.each([
    [
      'throws',
      (error: Error) => () => {
        throw error;
      },
    ],
    [
      'rejects',
      (error: Error) => async () => {
        throw error;
      },
    ],
  ])(
    'ends the retrying when it %s: the call rejects with its own error, and knows the other',
    async (_name, make) => {
      const [own, no] = [new Error('own'), new Error('no token')];
      const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();
      const fn = alwaysFailing(own);

      const thrown = await rejectionOf(retry(fn, AT_ONCE, { beforeRetry: make(no), onGiveUp: onGiveUp }));

      expect(thrown).toBe(own);
      expect(fn).toHaveBeenCalledTimes(1);
      expect(retryInfo(thrown)).toMatchObject({ attempts: 1, reason: 'stopped', thrown: no });
      expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error: own, reason: 'stopped', thrown: no }]]);
    },
  );

  it('is not called before the first attempt, nor when no retry follows', async () => {
    const beforeRetry = vi.fn();

    await retry(() => 'done', AT_ONCE, { beforeRetry });
    await rejectionOf(retry(alwaysFailing(), { ...AT_ONCE, maxAttempts: 1 }, { beforeRetry }));
    await rejectionOf(retry(alwaysFailing(), { ...AT_ONCE, retryOn: 'nothing' }, { beforeRetry }));

    expect(beforeRetry).not.toHaveBeenCalled();
  });

  it('is limited by the total timeout: the call ends with its own error', async () => {
    const fn = alwaysFailing('boom');
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();
    const options = { clock, beforeRetry: () => NEVER, onGiveUp };

    const result = rejectionOf(retry(fn, { ...EVERY_100_MS, totalTimeout: 1_000 }, options));
    await clock.advance(1_000);

    expect(await result).toBe('boom');
    expect(fn).toHaveBeenCalledTimes(1);
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error: 'boom', reason: 'total-timeout' }]]);
    expect(clock.pending()).toBe(0);
  });

  it('leaves no timer, and an attempt gets the rest of the total timeout', async () => {
    const beforeRetry = (): Promise<void> => new Promise((resolve) => void clock.setTimer(resolve, 300));

    const result = rejectionOf(
      retry(
        ({ attempt }) => (attempt === 1 ? Promise.reject('one') : NEVER),
        { ...EVERY_100_MS, totalTimeout: 1_000 },
        {
          clock,
          beforeRetry,
        },
      ),
    );
    await clock.advance(1_000);

    expect(await result).toBeInstanceOf(TotalTimeoutError);
    expect(clock.delays).toEqual([1_000, 100, 900, 300, 600]);
    expect(clock.pending()).toBe(0);
  });

  it('ends immediately by an abort', async () => {
    const controller = new AbortController();
    const fn = alwaysFailing('boom');
    const options = { clock, beforeRetry: () => NEVER, signal: controller.signal };

    const result = rejectionOf(retry(fn, { ...AT_ONCE, totalTimeout: '1m' }, options));
    await setImmediate();
    controller.abort('enough');

    expect(await result).toBe('enough');
    expect(clock.pending()).toBe(0);
    expect(fn).toHaveBeenCalledTimes(1);
  });

  it('is not called once the group drains', async () => {
    const group = createRetryGroup();
    const beforeRetry = vi.fn();

    const result = rejectionOf(retry(alwaysFailing('boom'), EVERY_100_MS, { clock, group, beforeRetry }));
    await setImmediate();
    await group.drain();

    expect(await result).toBe('boom');
    expect(beforeRetry).not.toHaveBeenCalled();
  });

  it('receives the arguments of the call', async () => {
    const beforeRetry = vi.fn();
    const load = withRetry(async (_id: string, _flags: object) => Promise.reject('boom'), AT_ONCE, {
      beforeRetry,
    });

    await rejectionOf(load('42', { deep: true }));

    expect(beforeRetry.mock.calls[0]?.[0].arguments).toEqual(['42', { deep: true }]);
  });

  it('may decide asynchronously', async () => {
    const fn = failing('one', 'two');
    const beforeRetry = async ({ error }: RetryEvent): Promise<void> => {
      await setImmediate();
      if (error === 'two') throw error;
    };

    expect(await tryRetry(fn, AT_ONCE, { beforeRetry })).toMatchObject({
      ok: false,
      error: 'two',
      attempts: 2,
    });
  });
});

import { TotalTimeoutError } from '@retry/core';
import { type RetryResult, tryRetry } from '@retry/inprocess';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

describe('tryRetry', () => {
  it('returns the value and the number of attempts', async () => {
    const clock = createFakeClock();

    const result = await tryRetry(failing('one', 'two'), AT_ONCE, { clock });

    expect(result).toMatchObject({ ok: true, value: 'done', attempts: 3 });
    expect(result.history).toEqual([
      { attempt: 1, error: 'one', failedAt: 1_000_000, delayMs: 0 },
      { attempt: 2, error: 'two', failedAt: 1_000_000, delayMs: 0 },
    ]);
  });

  it.each([undefined, null, 'text', 5, Object.freeze(new Error('frozen'))])(
    'returns the last error unchanged: %s',
    async (error) => {
      const result = await tryRetry(alwaysFailing(error), AT_ONCE);

      expect(result).toMatchObject({ ok: false, reason: 'exhausted', attempts: 3 });
      expect(result.ok ? 'a value' : result.error).toBe(error);
      expect(result.history.map(({ delayMs }) => delayMs)).toEqual([0, 0, undefined]);
    },
  );

  it('returns an abort as a value, too', async () => {
    const result = await tryRetry(() => 'done', AT_ONCE, { signal: AbortSignal.abort('enough') });

    expect(result).toMatchObject({ ok: false, error: 'enough', reason: 'aborted', attempts: 0, history: [] });
  });

  it('does not count an attempt that did not start because onAttempt aborted', async () => {
    const controller = new AbortController();
    const onAttempt = ({ attempt }: { readonly attempt: number }): void => {
      if (attempt === 2) controller.abort('enough');
    };

    const result = await tryRetry(
      failing('one'),
      { backoff: { type: 'none' } },
      {
        ...{ signal: controller.signal, onAttempt },
      },
    );

    expect(result).toMatchObject({ ok: false, error: 'enough', attempts: 1 });
  });

  it('keeps the first failed attempt and the latest nine of a long loop', async () => {
    const result = await tryRetry(({ attempt }) => Promise.reject(attempt), {
      ...AT_ONCE,
      maxAttempts: 1_000,
    });

    expect(result.history.map(({ error }) => error)).toEqual([
      1, 992, 993, 994, 995, 996, 997, 998, 999, 1_000,
    ]);
  });

  it('has the reason total-timeout for an attempt that it cut, also for the last one', async () => {
    const clock = createFakeClock();
    const policy = { maxAttempts: 1, totalTimeout: '1s' } as const;

    const result = tryRetry(() => new Promise(() => {}), policy, { clock });
    await clock.advance(1_000);

    expect(await result).toMatchObject({ ok: false, reason: 'total-timeout' });
    expect(((await result) as { error: unknown }).error).toBeInstanceOf(TotalTimeoutError);
  });

  it('keeps the type of the value', async () => {
    const result = await tryRetry(async () => 5, {});

    expectTypeOf(result).toEqualTypeOf<RetryResult<number>>();
    expect(result.ok && result.value).toBe(5);
  });
});

describe('the facts of tryRetry', () => {
  it.each([
    [[], { ok: true, attempts: 1, retries: 0, retried: false }],
    [['one'], { ok: true, attempts: 2, retries: 1, retried: true }],
    [['one', 'two'], { ok: true, attempts: 3, retries: 2, retried: true }],
    [['one', 'two', 'three'], { ok: false, attempts: 3, retries: 2, retried: true }],
  ])('after %o is %o', async (errors, expected) => {
    expect(await tryRetry(failing(...errors), AT_ONCE)).toMatchObject({ ...expected, isRefused: false });
  });

  it('counts no retry when the caller aborted before the first attempt', async () => {
    const result = await tryRetry(() => 'done', AT_ONCE, { signal: AbortSignal.abort() });

    expect(result).toMatchObject({ attempts: 0, retries: 0, retried: false });
  });

  it('sets isRefused for a value that retryIfResult refused to the end, with the reason', async () => {
    const refused = await tryRetry(() => 'pending', AT_ONCE, { retryIfResult: () => true });
    const accepted = await tryRetry(() => 'done', AT_ONCE, { retryIfResult: () => false });

    expect(refused).toMatchObject({
      ok: true,
      isRefused: true,
      value: 'pending',
      reason: 'exhausted',
      retries: 2,
    });
    expect(accepted).toMatchObject({ ok: true, isRefused: false, value: 'done' });
    expect(accepted).not.toHaveProperty('reason');
  });

  it('sets isRefused and thrown when retryIfResult threw', async () => {
    const broken = new Error('broken');
    const retryIfResult = (): never => {
      throw broken;
    };

    const reportError = vi.fn();

    const result = await tryRetry(() => 'done', AT_ONCE, { retryIfResult, reportError });

    expect(result).toMatchObject({ ok: true, isRefused: true, reason: 'stopped', thrown: broken });
    expect(reportError.mock.calls).toEqual([[broken]]);
  });
});

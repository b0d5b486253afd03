import { AttemptTimeoutError } from '@retry/core';
import { type RetryResult, tryRetry } from '@retry/inprocess';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

describe('tryRetry', () => {
  it('gives the value with what it took to get it', async () => {
    const clock = createFakeClock();

    const result = await tryRetry(AT_ONCE, failing('one', 'two'), { clock });

    expect(result).toMatchObject({ ok: true, value: 'done', attempts: 3 });
    expect(result.history).toEqual([
      { attempt: 1, error: 'one', failedAt: 1_000_000, delayMs: 0 },
      { attempt: 2, error: 'two', failedAt: 1_000_000, delayMs: 0 },
    ]);
  });

  it.each([undefined, null, 'text', 5, Object.freeze(new Error('frozen'))])(
    'gives what was thrown last as it is: %s',
    async (error) => {
      const result = await tryRetry(AT_ONCE, alwaysFailing(error));

      expect(result).toMatchObject({ ok: false, reason: 'exhausted', attempts: 3 });
      expect(result.ok ? 'a value' : result.error).toBe(error);
      expect(result.history.map(({ delayMs }) => delayMs)).toEqual([0, 0, undefined]);
    },
  );

  it('gives an abort as a value too', async () => {
    const result = await tryRetry(AT_ONCE, () => 'done', { signal: AbortSignal.abort('enough') });

    expect(result).toMatchObject({ ok: false, error: 'enough', reason: 'aborted', attempts: 0, history: [] });
  });

  it('does not count the attempt that an abort in onAttempt kept from starting', async () => {
    const controller = new AbortController();
    const onAttempt = ({ attempt }: { readonly attempt: number }): void => {
      if (attempt === 2) controller.abort('enough');
    };

    const result = await tryRetry({ backoff: { type: 'none' } }, failing('one'), {
      ...{ signal: controller.signal, onAttempt },
    });

    expect(result).toMatchObject({ ok: false, error: 'enough', attempts: 1 });
  });

  it('keeps the first failed attempt and the latest nine of a long loop', async () => {
    const result = await tryRetry({ ...AT_ONCE, maxAttempts: 1_000 }, ({ attempt }) =>
      Promise.reject(attempt),
    );

    expect(result.history.map(({ error }) => error)).toEqual([
      1, 992, 993, 994, 995, 996, 997, 998, 999, 1_000,
    ]);
  });

  it('calls an attempt that the deadline cut a deadline, also where it was the last', async () => {
    const clock = createFakeClock();
    const policy = { maxAttempts: 1, deadline: '1s' } as const;

    const result = tryRetry(policy, () => new Promise(() => {}), { clock });
    await clock.advance(1_000);

    expect(await result).toMatchObject({ ok: false, reason: 'deadline' });
    expect(((await result) as { error: unknown }).error).toBeInstanceOf(AttemptTimeoutError);
  });

  it('keeps the type of the value', async () => {
    const result = await tryRetry({}, async () => 5);

    expectTypeOf(result).toEqualTypeOf<RetryResult<number>>();
    expect(result.ok && result.value).toBe(5);
  });
});

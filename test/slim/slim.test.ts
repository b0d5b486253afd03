import { setImmediate } from 'node:timers/promises';
import { definePolicy } from '@retry/core';
import { basePolicy, retry, retryInfo, withRetry } from '@retry/inprocess/slim';
import { describe, expect, expectTypeOf, it } from 'vitest';

describe('basePolicy', () => {
  it('is what definePolicy gives', () => {
    expect(basePolicy).toEqual({ ...definePolicy() });
  });
});

describe('the slim entry', () => {
  it('takes a policy as it is written', async () => {
    const policy = { ...basePolicy, maxAttempts: 2, backoff: { type: 'none' } } as const;
    const error = new Error('boom');

    const thrown = await withRetry(() => Promise.reject(error), policy)().catch((reason: unknown) => reason);

    expect(thrown).toBe(error);
    expect(retryInfo(error)).toMatchObject({ attempts: 2, reason: 'exhausted' });
  });

  it('takes no text for a duration, and knows no calls around its own', () => {
    const calls = (): void => {
      // @ts-expect-error: milliseconds only
      void retry({ ...basePolicy, deadlineMs: '2s' }, () => 1);
      // @ts-expect-error: parent is an option of the main entry
      void retry(basePolicy, (parent) => retry(basePolicy, () => 1, { parent }));
    };

    expectTypeOf(calls).toBeFunction();
  });

  it('gives the attempt its context', async () => {
    const seen = await retry(basePolicy, async ({ attempt, isLast, signal }) => {
      await setImmediate();
      return [attempt, isLast, signal.aborted];
    });

    expect(seen).toEqual([1, false, false]);
  });
});

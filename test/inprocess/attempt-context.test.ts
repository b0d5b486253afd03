import { definePolicy } from '@retry/core';
import { retry } from '@retry/inprocess';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Attempt } from '../../packages/inprocess/src/attempt-context.ts';

const THREE = definePolicy({ maxAttempts: 3 });

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('Attempt', () => {
  it('knows its number, the most there are and the error before', () => {
    const error = new Error('before');

    const attempt = new Attempt(2, THREE, error);

    expect([attempt.attempt, attempt.maxAttempts]).toEqual([2, 3]);
    expect(attempt.previousError).toBe(error);
  });

  it.each([
    [1, { maxAttempts: 3 }, false],
    [2, { maxAttempts: 3 }, false],
    [3, { maxAttempts: 3 }, true],
    [1, { maxAttempts: 1 }, true],
    [1, { maxAttempts: 3, retryable: false }, true],
    [1_000_000, { maxAttempts: Infinity }, false],
  ])('says whether attempt %i of %o is the last', (number, policy, isLast) => {
    const attempt = new Attempt(number, definePolicy(policy), undefined);

    expect(attempt.isLast).toBe(isLast);
  });

  it('counts one attempt in all when the policy is not retryable', () => {
    const attempt = new Attempt(1, definePolicy({ maxAttempts: 3, retryable: false }), undefined);

    expect(attempt.maxAttempts).toBe(1);
  });

  it('gives the same signal each time it is asked', () => {
    const attempt = new Attempt(1, THREE, undefined);

    expect(attempt.signal).toBe(attempt.signal);
    expect(attempt.signal.aborted).toBe(false);
  });

  it('aborts the signal with the reason when it is stopped', () => {
    const attempt = new Attempt(1, THREE, undefined);
    const reason = new Error('enough');
    const { signal } = attempt;

    attempt.stop(reason);

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it('gives a signal that is born aborted after it was stopped', () => {
    const attempt = new Attempt(1, THREE, undefined);
    const reason = new Error('enough');

    attempt.stop(reason);

    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.signal.reason).toBe(reason);
  });

  it('keeps the first reason when it is stopped twice', () => {
    const attempt = new Attempt(1, THREE, undefined);

    attempt.stop('first');
    attempt.stop('second');

    expect(attempt.signal.reason).toBe('first');
  });

  it('makes no AbortController until somebody asks for the signal', async () => {
    const created = vi.fn();
    const Original = AbortController;
    vi.stubGlobal(
      'AbortController',
      class extends Original {
        constructor() {
          super();
          created();
        }
      },
    );

    await retry(THREE, ({ attempt }) => attempt);
    expect(created).not.toHaveBeenCalled();

    await retry(THREE, ({ signal }) => signal.aborted);
    expect(created).toHaveBeenCalledTimes(1);
  });
});

import { definePolicy, type Policy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { retry } from '@retry/inprocess';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { RetryCall } from '../../packages/inprocess/src/call/call.ts';
import { AttemptWithContext, withContext } from '../../packages/inprocess/src/call/context.ts';
import { createPlan } from '../../packages/inprocess/src/call/plan.ts';
import { createFakeClock } from './fake-clock.ts';

const THREE = definePolicy({ maxAttempts: 3 });

function attemptOf(policy: Policy, attempt: number, previousError?: unknown): AttemptWithContext {
  const options = { clock: createFakeClock() };
  const plan = createPlan({ fn: () => undefined, policy: settingsOf(policy), options }, withContext);
  const call = new RetryCall(plan, attempt, []);
  const failed = { attempt: attempt - 1, error: previousError, failedAt: 0, delayMs: 0 };
  call.latest = { aheadMs: 0, ...failed, previous: undefined };
  return new AttemptWithContext(call, { timeoutMs: Infinity, startedAt: 0, isTotal: false });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('AttemptWithContext', () => {
  it('has its number, the maximum and the previous error', () => {
    const error = new Error('before');

    const attempt = attemptOf(THREE, 2, error);

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
  ])('sets isLast of attempt %i of %o', (number, policy, isLast) => {
    const attempt = attemptOf(definePolicy(policy), number);

    expect(attempt.isLast).toBe(isLast);
  });

  it('has one attempt in all when the policy is not retryable', () => {
    const attempt = attemptOf(definePolicy({ maxAttempts: 3, retryable: false }), 1);

    expect(attempt.maxAttempts).toBe(1);
  });

  it('returns the same signal each time it is read', () => {
    const attempt = attemptOf(THREE, 1);

    expect(attempt.signal).toBe(attempt.signal);
    expect(attempt.signal.aborted).toBe(false);
  });

  it('aborts the signal with the reason of its interrupt', () => {
    const attempt = attemptOf(THREE, 1);
    const reason = new Error('enough');
    const { signal } = attempt;

    attempt.interrupt(reason);

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it('returns a signal that is aborted from the start when it was interrupted before', () => {
    const attempt = attemptOf(THREE, 1);
    const reason = new Error('enough');

    attempt.interrupt(reason);

    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.signal.reason).toBe(reason);
  });

  it('keeps the first reason when it is interrupted twice', () => {
    const attempt = attemptOf(THREE, 1);

    attempt.interrupt('first');
    attempt.interrupt('second');

    expect(attempt.signal.reason).toBe('first');
  });

  it('creates no AbortController before the signal is read', async () => {
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

    await retry(({ attempt }) => attempt, THREE);
    expect(created).not.toHaveBeenCalled();

    await retry(({ signal }) => signal.aborted, THREE);
    expect(created).toHaveBeenCalledTimes(1);
  });
});

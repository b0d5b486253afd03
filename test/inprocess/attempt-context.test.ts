import { definePolicy, type Policy } from '@retry/core';
import { retry } from '@retry/inprocess';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ToldAttempt } from '../../packages/inprocess/src/attempt-context.ts';
import { Call } from '../../packages/inprocess/src/call.ts';
import { createPlan } from '../../packages/inprocess/src/plan.ts';
import { TOLD } from '../../packages/inprocess/src/retry.ts';
import { createFakeClock } from './fake-clock.ts';

const THREE = definePolicy({ maxAttempts: 3 });

function attemptOf(policy: Policy, attempt: number, previousError?: unknown): ToldAttempt {
  const options = { clock: createFakeClock() };
  const plan = createPlan({ fn: () => undefined, policy, options }, TOLD);
  const call = new Call(plan, 0);
  const state = { timeoutMs: Infinity, startedAt: 0, isTimedOut: false, wish: undefined };
  return new ToldAttempt({ call, attempt, previousError, ...state });
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('ToldAttempt', () => {
  it('knows its number, the most there are and the error before', () => {
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
  ])('says whether attempt %i of %o is the last', (number, policy, isLast) => {
    const attempt = attemptOf(definePolicy(policy), number);

    expect(attempt.isLast).toBe(isLast);
  });

  it('counts one attempt in all when the policy is not retryable', () => {
    const attempt = attemptOf(definePolicy({ maxAttempts: 3, retryable: false }), 1);

    expect(attempt.maxAttempts).toBe(1);
  });

  it('gives the same signal each time it is asked', () => {
    const attempt = attemptOf(THREE, 1);

    expect(attempt.signal).toBe(attempt.signal);
    expect(attempt.signal.aborted).toBe(false);
  });

  it('aborts the signal with the reason when it is stopped', () => {
    const attempt = attemptOf(THREE, 1);
    const reason = new Error('enough');
    const { signal } = attempt;

    attempt.interrupt(reason);

    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(reason);
  });

  it('gives a signal that is born aborted after it was stopped', () => {
    const attempt = attemptOf(THREE, 1);
    const reason = new Error('enough');

    attempt.interrupt(reason);

    expect(attempt.signal.aborted).toBe(true);
    expect(attempt.signal.reason).toBe(reason);
  });

  it('keeps the first reason when it is stopped twice', () => {
    const attempt = attemptOf(THREE, 1);

    attempt.interrupt('first');
    attempt.interrupt('second');

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

    await retry(({ attempt }) => attempt, THREE);
    expect(created).not.toHaveBeenCalled();

    await retry(({ signal }) => signal.aborted, THREE);
    expect(created).toHaveBeenCalledTimes(1);
  });
});

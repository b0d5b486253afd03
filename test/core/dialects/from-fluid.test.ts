import { AttemptTimeoutError, decide, explain } from '@retry/core';
import { fromFluid } from '@retry/core/dialects';
import { decideStart, requeueDelay } from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf, problemsOf } from './problems.ts';

const context = { now: 0, random: () => 0 };

describe('fromFluid', () => {
  it('never retries without a retry policy', () => {
    const { policy, task, warnings } = fromFluid();

    expect(policy).toMatchObject({ maxAttempts: 1, attemptTimeoutMs: 60_000 });
    expect(task).toEqual({ minRequeueDelayMs: 5_000 });
    expect(warnings).toEqual([]);
  });

  it("has RetryPolicy's defaults: no limit, one second, every exception", () => {
    const { policy, warnings } = fromFluid({ retry: {} });

    expect(policy).toMatchObject({
      maxAttempts: Infinity,
      backoff: { type: 'exponential', baseMs: 1_000, factor: 1 },
      jitter: 'none',
      maxDelayMs: 60_000,
      retryOn: 'everything',
    });
    expect(codesOf(warnings)).toEqual(['UNLIMITED retry.max_attempts']);
  });

  it('counts max_attempts as retries, and runs once for 0 and less', () => {
    expect(settingsOf(fromFluid({ retry: { max_attempts: 3 } }).policy).maxAttempts).toBe(4);
    expect(settingsOf(fromFluid({ retry: { max_attempts: -1 } }).policy).maxAttempts).toBe(1);
    expect(codesOf(fromFluid({ retry: { max_attempts: 0 } }).warnings)).toEqual([
      'RUNS_ONCE retry.max_attempts',
    ]);
  });

  it('retries no timeout, whether the worker or the code raised it', () => {
    const { policy } = fromFluid({ retry: { max_attempts: 3 } });

    expect(explain(policy, new AttemptTimeoutError(5, 1)).reason).toBe('stopped');
    expect(explain(policy, new DOMException('late', 'TimeoutError')).reason).toBe('stopped');
    expect(explain(policy, new Error('boom')).retries).toBe(true);
  });

  it('retries listed timeouts, by name or by class, and warns that fluid does not', () => {
    for (const exceptions of [['OSError', 'TimeoutError'], [AttemptTimeoutError]]) {
      const { policy, warnings } = fromFluid({ retry: { max_attempts: 3, exceptions } });

      expect(explain(policy, new AttemptTimeoutError(5, 1)).retries).toBe(true);
      expect(explain(policy, new Error('boom')).reason).toBe('unexpected');
      expect(explain(policy, new (class TaskAbortedError extends Error {})()).reason).toBe('stopped');
      expect(codesOf(warnings)).toEqual(['TIMEOUT_LISTED retry.exceptions']);
    }
  });

  it('reads max_concurrency as a global limit', () => {
    const retried = fromFluid({ max_concurrency: 2, rate_limit_retry: { max_attempts: 5, wait: 10 } });

    expect(retried.task).toMatchObject({ globalConcurrency: 2, whenFull: 'retry' });
    expect(retried.task.rateLimitRetry).toMatchObject({ maxAttempts: 6, retryOn: 'everything' });
    expect(fromFluid({ max_concurrency: 2 }).task).toMatchObject({
      globalConcurrency: 2,
      whenFull: 'end',
    });
  });

  it('warns of a rate_limit_retry without effect', () => {
    const { task, warnings } = fromFluid({ rate_limit_retry: { max_attempts: 1 } });

    expect(task).not.toHaveProperty('rateLimitRetry');
    expect(codesOf(warnings)).toEqual(['WITHOUT_EFFECT rate_limit_retry']);
  });

  it('accepts an infinite maximum delay', () => {
    expect(settingsOf(fromFluid({ retry: { max_wait: Infinity } }).policy).maxDelayMs).toBe(Infinity);
  });

  it("lists every problem under fluid's names", () => {
    const options = {
      retry: {
        max_attempts: 1.5,
        wait: -1,
        backoff: Infinity,
        max_wait: '60s',
        exceptions: [{}, 7],
        tries: 3,
      },
      rate_limit_retry: 5,
      timeout_seconds: 0,
      max_concurrency: -1,
    };

    expect(problemsOf(() => fromFluid(options as never))).toEqual([
      'max_concurrency',
      'rate_limit_retry',
      'retry.backoff',
      'retry.exceptions[0]',
      'retry.exceptions[1]',
      'retry.max_attempts',
      'retry.max_wait',
      'retry.tries',
      'retry.wait',
      'timeout_seconds',
    ]);
  });
});

describe('decideStart', () => {
  it('waits by default when the limit is reached', () => {
    const counters = { running: 3, rateLimits: 0 };

    expect(decideStart({ globalConcurrency: 3 }, counters, context)).toEqual({ type: 'wait' });
    expect(decideStart({}, counters, context)).toEqual({ type: 'run' });
  });

  it('ends or waits by whenFull, even if there is a policy for retries', () => {
    const { task } = fromFluid({ max_concurrency: 1, rate_limit_retry: { max_attempts: 5 } });
    const counters = { running: 1, rateLimits: 0 };

    expect(decideStart({ ...task, whenFull: 'end' }, counters, context)).toEqual({ type: 'end' });
    expect(decideStart({ ...task, whenFull: 'wait' }, counters, context)).toEqual({ type: 'wait' });
  });

  it("ends by whenFull: 'retry' without a policy", () => {
    const task = { globalConcurrency: 1, whenFull: 'retry' } as const;

    expect(decideStart(task, { running: 1, rateLimits: 0 }, context)).toEqual({ type: 'end' });
  });

  it('counts rate limits apart from failures', () => {
    const { policy, task } = fromFluid({
      max_concurrency: 1,
      retry: { max_attempts: 1 },
      rate_limit_retry: { max_attempts: 1, wait: 10 },
    });

    expect(decideStart(task, { running: 1, rateLimits: 0 }, context)).toMatchObject({ delayMs: 10_000 });
    expect(decideStart(task, { running: 1, rateLimits: 1 }, context)).toEqual({ type: 'end' });
    expect(decide(policy, { failures: 1 }, { error: 1 }, context).type).toBe('retry');
  });
});

describe('requeueDelay', () => {
  it('is the remaining time itself without a floor', () => {
    expect(requeueDelay({}, 10)).toBe(10);
    expect(requeueDelay({ minRequeueDelayMs: 5_000 }, 10)).toBe(5_000);
    expect(requeueDelay({ minRequeueDelayMs: 5_000 }, 0)).toBeUndefined();
  });
});

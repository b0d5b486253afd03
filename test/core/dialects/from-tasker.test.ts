import { computeDelay, decide, delayBounds, NonRetryableError, policyToJSON } from '@retry/core';
import { fromTasker } from '@retry/core/dialects';
import {
  taskerAfterError,
  taskerDelay,
  taskerNextRetryAt,
  taskerReadiness,
  taskerServerDelay,
} from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf, problemsOf } from './problems.ts';

describe('fromTasker', () => {
  it("has Tasker's defaults", () => {
    const { policy, task, warnings } = fromTasker();

    expect(policy).toMatchObject({
      maxAttempts: 3,
      retryable: true,
      backoff: { type: 'exponential', baseMs: 2_000, factor: 2 },
      jitter: { proportional: 0.1 },
      maxDelayMs: 300_000,
      capAt: 'ignores-jitter',
      granularityMs: 1_000,
      retryAfter: { mode: 'replace', maxMs: 300_000, beyondMax: 'clamp', jitter: 'none' },
      retryOn: 'everything',
    });
    expect(task).toEqual({});
    expect(warnings).toEqual([]);
  });

  it('reads null as a missing limit and a missing flag', () => {
    expect(fromTasker({ max_attempts: null, retryable: null }).policy).toMatchObject({
      maxAttempts: 3,
      retryable: true,
    });
  });

  it.each([
    ['none', [0, 0, 0]],
    ['linear', [500, 1_000, 1_500]],
    ['exponential', [500, 1_000, 2_000]],
    ['fibonacci', [500, 500, 1_000]],
  ] as const)('gives a step its own %s backoff', (backoff, delays) => {
    const { policy } = fromTasker({ backoff, backoff_base_ms: 500, jitter_enabled: false });

    expect([1, 2, 3].map((retry) => computeDelay(policy, retry, { random: () => 0 }))).toEqual(delays);
  });

  it("keeps a step's jitter below the step's own cap", () => {
    const { policy } = fromTasker({ backoff_base_ms: 1_000, max_backoff_ms: 5_000, max_jitter: 1 });

    expect(delayBounds(policy, 50)[1]).toBe(5_000);
    expect(settingsOf(policy).retryAfter.maxMs).toBe(5_000);
  });

  it("has the defaults of a step's block if one of its keys is set", () => {
    expect(fromTasker({ backoff: 'linear' }).policy).toMatchObject({
      backoff: { baseMs: 1_000 },
      maxDelayMs: 30_000,
    });
    expect(settingsOf(fromTasker({ max_backoff_ms: 5_000 }).policy).backoff).toMatchObject({
      type: 'exponential',
      baseMs: 1_000,
    });
  });

  it.each([
    [{ max_attempts: 0 }, ['RUNS_ONCE max_attempts', 'OUT_OF_RANGE max_attempts']],
    [{ retryable: false }, ['NOT_RETRYABLE retryable']],
    [{ retryable: false, max_attempts: 1 }, []],
    [{ max_attempts: 999_999 }, ['OUT_OF_RANGE max_attempts']],
    [{ backoff_base_ms: 50 }, ['OUT_OF_RANGE backoff_base_ms']],
    [{ max_delay_seconds: 60 }, ['JITTER_OVER_CAP max_delay_seconds']],
    [{ max_delay_seconds: 60, jitter_enabled: false }, []],
    [{ backoff: 'none', max_delay_seconds: 60 }, ['WITHOUT_EFFECT max_delay_seconds']],
  ] as const)('warns of %j', (options, codes) => {
    expect(codesOf(fromTasker(options).warnings)).toEqual(codes);
  });

  it.each([
    [{ jitter_enabled: false }, 'none'],
    [{ max_jitter: 0 }, 'none'],
    [{ jitter_enabled: true, max_jitter: 1 }, { proportional: 1 }],
    [{ backoff: 'linear', jitter_enabled: false }, 'none'],
    [{ backoff: 'none', max_jitter: 0.5 }, 'none'],
    [{ backoff: 'linear', max_jitter: 0.5 }, { proportional: 0.5 }],
  ] as const)('reads the jitter of %j as %j', (options, jitter) => {
    expect(settingsOf(fromTasker(options).policy).jitter).toEqual(jitter);
  });

  it('is data that survives JSON', () => {
    expect(policyToJSON(fromTasker().policy)).toMatchObject({ capAt: 'ignores-jitter' });
  });

  it("lists every problem under Tasker's names", () => {
    const options = {
      max_attempts: 1.5,
      retryable: 'yes',
      backoff: 'decorrelated',
      backoff_base_ms: -1,
      max_backoff_ms: 'long',
      base_delay_seconds: Infinity,
      max_delay_seconds: -1,
      multiplier: -2,
      jitter_enabled: 1,
      max_jitter: 2,
      limit: 3,
    };

    expect(problemsOf(() => fromTasker(options as never))).toEqual([
      'backoff',
      'backoff_base_ms',
      'base_delay_seconds',
      'jitter_enabled',
      'limit',
      'max_attempts',
      'max_backoff_ms',
      'max_delay_seconds',
      'max_jitter',
      'multiplier',
      'retryable',
    ]);
  });
});

describe('taskerDelay', () => {
  it('agrees with the policy from the first failure on', () => {
    const { policy } = fromTasker();
    for (const random of [() => 0, () => 0.3, () => 0.99]) {
      for (const attempts of [1, 2, 7, 20]) {
        expect(taskerDelay({}, attempts, { random })).toBe(computeDelay(policy, attempts, { random }));
      }
    }
  });
});

describe('taskerServerDelay', () => {
  const nowAt = Date.UTC(2030, 0, 1);

  it('reads Retry-After from a record and from Headers, and nothing else', () => {
    expect(taskerServerDelay({ 'Retry-After': '7' }, nowAt)).toEqual({ type: 'delay', delayMs: 7_000 });
    expect(taskerServerDelay(new Headers({ 'retry-after': '7' }), nowAt)).toMatchObject({ delayMs: 7_000 });
    expect(taskerServerDelay(new Headers({ 'retry-after-ms': '7' }), nowAt)).toEqual({ type: 'absent' });
    expect(taskerServerDelay({ 'x-should-retry': 'false' }, nowAt)).toEqual({ type: 'absent' });
  });

  it('rounds the time to a date down to whole seconds', () => {
    const headers = { 'retry-after': new Date(nowAt + 90_000).toUTCString() };

    expect(taskerServerDelay(headers, nowAt + 400)).toMatchObject({ delayMs: 89_000 });
  });

  it('reads the largest 32-bit number', () => {
    expect(taskerServerDelay({ 'retry-after': '4294967295' }, nowAt)).toEqual({
      type: 'delay',
      delayMs: 4_294_967_295_000,
    });
  });

  it('falls back to the policy if the number exceeds 32 bits', () => {
    const { policy } = fromTasker({ jitter_enabled: false });
    const failure = { error: 1, serverDelay: taskerServerDelay({ 'retry-after': '4294967296' }, nowAt) };

    expect(failure.serverDelay.type).toBe('malformed');
    expect(decide(policy, { failures: 1 }, failure, { now: 0, random: () => 0 })).toMatchObject({
      delayMs: 2_000,
    });
  });
});

describe('taskerAfterError', () => {
  it('never sends a step to waiting_for_retry that cannot become ready', () => {
    const { policy } = fromTasker({ retryable: false });

    expect(taskerAfterError(policy, 1, new Error('boom'))).toBe('error');
    expect(taskerAfterError(fromTasker().policy, 1, new NonRetryableError('no'))).toBe('error');
    expect(taskerAfterError(fromTasker().policy, 2, new Error('boom'))).toBe('waiting_for_retry');
    expect(taskerAfterError(fromTasker().policy, 3, new Error('boom'))).toBe('error');
  });
});

describe('taskerReadiness', () => {
  const { policy } = fromTasker();

  it('needs the dependencies', () => {
    expect(taskerReadiness(policy, { state: 'pending' }, 0).isReady).toBe(true);
    expect(taskerReadiness(policy, { state: 'pending', areDependenciesMet: false }, 0).isReady).toBe(false);
    expect(taskerReadiness(policy, { state: 'pending', isInProcess: true }, 0).isReady).toBe(false);
  });

  it('returns no instant if there is no delay', () => {
    expect(taskerReadiness(policy, { state: 'pending' }, 0)).toStrictEqual({
      isEligible: true,
      isReady: true,
    });
  });

  it.each(['complete', 'error', 'in_progress'])('is never ready in the state %s', (state) => {
    expect(taskerReadiness(policy, { state, attempts: 1 }, 0)).toEqual({ isEligible: true, isReady: false });
  });

  it('is not ready once it is processed', () => {
    expect(taskerReadiness(policy, { state: 'pending', isProcessed: true }, 0).isReady).toBe(false);
    expect(taskerReadiness(policy, { state: 'pending', isProcessed: false }, 0).isReady).toBe(true);
  });

  it('is ready exactly at the due instant', () => {
    const step = { state: 'waiting_for_retry', attempts: 1, backoffMs: 10, lastAttemptedAt: 90 };

    expect(taskerReadiness(policy, step, 100)).toEqual({ isEligible: true, nextRetryAt: 100, isReady: true });
    expect(taskerReadiness(policy, step, 99).isReady).toBe(false);
  });
});

describe('taskerNextRetryAt', () => {
  it.each([
    // seed 002: multiplier^attempts seconds after the failure, 60 and 2 unless written; unset attempts are 1
    [{ failedAt: 500 }, {}, 2_500],
    [{ failedAt: 500, attempts: 3 }, {}, 8_500],
    [{ failedAt: 500, attempts: null, backoffMs: null, lastAttemptedAt: null }, {}, 2_500],
    [{ failedAt: null }, {}, undefined],
    [{ failedAt: 500, attempts: 9 }, {}, 60_500],
    [{ failedAt: 500, attempts: 2 }, { backoff_multiplier: 3 }, 9_500],
    [{ failedAt: 500, attempts: 9 }, { max_backoff_seconds: 5 }, 5_500],
    [{ failedAt: 500, backoffMs: 7_000, lastAttemptedAt: 100 }, {}, 7_100],
    // A stored backoff needs both of its fields.
    [{ failedAt: 500, backoffMs: 7_000 }, {}, 2_500],
    [{ failedAt: 500, lastAttemptedAt: 100 }, {}, 2_500],
    [{ attempts: 3 }, {}, undefined],
  ])('of %j under %j is %s', (times, fallback, instant) => {
    expect(taskerNextRetryAt(times, fallback)).toBe(instant);
  });

  it('refuses an invalid configuration', () => {
    const fallback = { max_backoff_seconds: -1, backoff_multiplier: Infinity, base: 1 };

    expect(problemsOf(() => taskerNextRetryAt({}, fallback as never))).toEqual([
      'backoff_multiplier',
      'base',
      'max_backoff_seconds',
    ]);
  });
});

import type { PolicyInput, Preview, PreviewOptions } from '@retry/core';
import { definePolicy, preview } from '@retry/core';
import { describe, expect, it } from 'vitest';

const celery = {
  maxAttempts: 11,
  backoff: { type: 'exponential', base: '30s' },
  jitter: 'none',
  maxDelay: 'Infinity',
} as const satisfies PolicyInput;

const steady = { backoff: { type: 'constant', base: '2s' }, jitter: 'none' } as const satisfies PolicyInput;

function previewOf(input: PolicyInput, options?: PreviewOptions): Preview {
  return preview(definePolicy(input), options);
}

describe('preview', () => {
  it('lists the delays of the Celery document', () => {
    // seed 003: 10 retries from 30 s
    const { retries } = previewOf(celery);

    const seconds = retries.map(({ delay }) => delay.maxMs / 1_000);
    expect(seconds).toEqual([30, 60, 120, 240, 480, 960, 1_920, 3_840, 7_680, 15_360]);
  });

  it('adds them up to about 8.5 hours', () => {
    // seed 003: "10 retries from 30 s take 8.5 h"
    expect(previewOf(celery).total).toEqual({ minMs: 30_690_000, meanMs: 30_690_000, maxMs: 30_690_000 });
  });

  it('adds them up to less than 40 minutes with a cap of 300 s', () => {
    // seed 003: "capped at 300 s: under 40 minutes"; 30 + 60 + 120 + 240 + 6 x 300 = 2250 s
    expect(previewOf({ ...celery, maxDelay: '300s' }).total.maxMs).toBe(2_250_000);
  });

  it('includes the attempts in the start of each retry', () => {
    const { retries, total } = previewOf({ ...steady, maxAttempts: 3 }, { attemptMs: 500 });

    expect(retries).toEqual([
      {
        retry: 1,
        delay: { minMs: 2_000, meanMs: 2_000, maxMs: 2_000 },
        startsAfter: { minMs: 2_500, meanMs: 2_500, maxMs: 2_500 },
      },
      {
        retry: 2,
        delay: { minMs: 2_000, meanMs: 2_000, maxMs: 2_000 },
        startsAfter: { minMs: 5_000, meanMs: 5_000, maxMs: 5_000 },
      },
    ]);
    expect(total).toEqual({ minMs: 5_500, meanMs: 5_500, maxMs: 5_500 });
  });

  it('assumes that an attempt takes from 0 ms to its timeout', () => {
    const { total } = previewOf({ ...steady, maxAttempts: 2, attemptTimeout: '10s' });

    expect(total).toEqual({ minMs: 2_000, meanMs: 2_000, maxMs: 22_000 });
  });

  it('has the range of the jitter', () => {
    const { retries, total } = previewOf({ backoff: { type: 'constant', base: 100 }, jitter: 'equal' });

    expect(retries.map(({ delay }) => delay)).toEqual([
      { minMs: 50, meanMs: 75, maxMs: 100 },
      { minMs: 50, meanMs: 75, maxMs: 100 },
    ]);
    expect(total).toEqual({ minMs: 100, meanMs: 150, maxMs: 200 });
  });

  it('begins with the initial delay', () => {
    const { initialDelayMs, retries, total } = previewOf({ ...steady, maxAttempts: 2, initialDelay: '1s' });

    expect(initialDelayMs).toBe(1_000);
    expect(retries[0]?.startsAfter).toEqual({ minMs: 3_000, meanMs: 3_000, maxMs: 3_000 });
    expect(total).toEqual({ minMs: 3_000, meanMs: 3_000, maxMs: 3_000 });
  });

  it('counts the initial delay towards the total timeout', () => {
    const { maxRetries } = previewOf({ ...steady, maxAttempts: 9, initialDelay: '3s', totalTimeout: '6s' });

    expect(maxRetries).toBe(1);
  });

  it('has no retries if the policy has none', () => {
    const total = { minMs: 7, meanMs: 7, maxMs: 7 };
    const nothing = {
      initialDelayMs: 0,
      retries: [],
      maxRetries: 0,
      isBounded: true,
      isStopped: false,
      total,
    };

    expect(previewOf({ maxAttempts: 1 }, { attemptMs: 7 })).toEqual(nothing);
    expect(previewOf({ maxAttempts: Infinity, retryable: false }, { attemptMs: 7 })).toEqual(nothing);
  });
});

describe('preview with a total timeout', () => {
  it('leaves out the retries that start at it or after it', () => {
    const { retries, maxRetries } = previewOf({ ...steady, maxAttempts: 9, totalTimeout: '6s' });

    expect(retries.map(({ startsAfter }) => startsAfter.maxMs)).toEqual([2_000, 4_000]);
    expect(maxRetries).toBe(2);
  });

  it('lists a retry that only the shortest delays can reach', () => {
    const { retries } = previewOf({
      backoff: { type: 'constant', base: 100 },
      jitter: 'equal',
      totalTimeout: 120,
    });

    expect(retries.map(({ startsAfter }) => startsAfter)).toEqual([
      { minMs: 50, meanMs: 75, maxMs: 100 },
      { minMs: 100, meanMs: 120, maxMs: 120 },
    ]);
  });

  it('ends at the total timeout, which ends the running attempt', () => {
    const deadline = { ...steady, maxAttempts: 9, totalTimeout: '15s' } as const;

    expect(previewOf(deadline, { attemptMs: 10_000 }).total).toEqual({
      minMs: 15_000,
      meanMs: 15_000,
      maxMs: 15_000,
    });
    expect(previewOf(deadline, { attemptMs: 20_000 }).total).toEqual({
      minMs: 15_000,
      meanMs: 15_000,
      maxMs: 15_000,
    });
  });

  it('bounds a policy without a last attempt', () => {
    const { isBounded, maxRetries } = previewOf({ ...steady, maxAttempts: Infinity, totalTimeout: '1m' });

    expect({ isBounded, maxRetries }).toEqual({ isBounded: true, maxRetries: 29 });
  });

  it('may end before its last retry because of a long draw', () => {
    // 60 ms, then 60 more would reach the totalTimeout: a run may be over after 60 ms with one retry, never before 20.
    const { total } = previewOf({
      maxAttempts: 9,
      backoff: { type: 'constant', base: 100 },
      jitter: 'equal',
      totalTimeout: 120,
    });

    expect(total.minMs).toBeLessThanOrEqual(60);
  });

  it('may end with the first attempt if a draw meets the total timeout exactly', () => {
    // Whole units can draw both ends: 100 ms start the retry at the deadline, which decide() refuses.
    const input = {
      backoff: { type: 'constant', base: 100 },
      jitter: 'equal',
      granularity: 1,
      totalTimeout: 100,
    } as const;

    expect(previewOf(input).total.minMs).toBe(0);
  });
});

describe('preview of an unlimited policy', () => {
  it.each<[string, PolicyInput]>([
    ['full jitter', { maxAttempts: Infinity }],
    ['no wait', { maxAttempts: Infinity, backoff: { type: 'none' } }],
    ['a deadline', { maxAttempts: Infinity, totalTimeout: '1h' }],
    ['no jitter', { ...steady, maxAttempts: Infinity }],
  ])('has ordered ranges without NaN with %s', (_name, input) => {
    const { total } = previewOf(input, { limit: 5 });

    expect(total.minMs).toBeLessThanOrEqual(total.meanMs);
    expect(total.meanMs).toBeLessThanOrEqual(total.maxMs);
  });

  it('has an infinite total if it has delays', () => {
    const { isBounded, maxRetries, total } = previewOf({ ...steady, maxAttempts: Infinity }, { limit: 5 });

    expect({ isBounded, maxRetries }).toEqual({ isBounded: false, maxRetries: Infinity });
    expect(total).toEqual({ minMs: Infinity, meanMs: Infinity, maxMs: Infinity });
  });

  it('lists 1000 retries by default', () => {
    const endless = { ...steady, maxAttempts: Infinity };

    expect(previewOf(endless).retries).toHaveLength(1_000);
    expect(previewOf(endless, { limit: 7 }).retries).toHaveLength(7);
  });
});

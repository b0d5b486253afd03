import type { PolicyInput, Preview, PreviewOptions } from '@retry/core';
import { definePolicy, preview } from '@retry/core';
import { describe, expect, it } from 'vitest';

const steady = { backoff: { type: 'constant', base: '2s' }, jitter: 'none' } as const satisfies PolicyInput;

function previewOf(input: PolicyInput, options?: PreviewOptions): Preview {
  return preview(definePolicy(input), options);
}

describe('preview beyond its limit', () => {
  it('continues constant delays', () => {
    expect(previewOf({ ...steady, maxAttempts: 101 }, { limit: 10, attemptMs: 1_000 }).total).toEqual({
      minMs: 301_000,
      meanMs: 301_000,
      maxMs: 301_000,
    });
  });

  it('has no worst case if delays still grow after the thousandth retry', () => {
    const linear = { jitter: 'none', maxDelay: 'Infinity', backoff: { type: 'linear', base: 1 } } as const;

    expect(previewOf({ ...linear, maxAttempts: 1_001 }).total.maxMs).toBe(500_500);
    expect(previewOf({ ...linear, maxAttempts: 1_102 }).total.maxMs).toBe(Infinity);
  });

  it.each<[number, PolicyInput['backoff'] & object]>([
    [18_000, { type: 'constant', base: '2s' }],
    [88, { type: 'fibonacci', base: 1 }],
    [702, { type: 'list', delays: [1, 1, 100] }],
    [511, { type: 'exponential', base: 1 }],
    [9, { type: 'list', delays: [1] }],
  ])('has a total of %d ms, whatever the limit: %j', (wholeMs, backoff) => {
    const input = { maxAttempts: 10, jitter: 'none', backoff } as const;

    const totals = [0, 1, 2, 3, 8].map((limit) => previewOf(input, { limit }).total.maxMs);

    expect(totals).toEqual([wholeMs, wholeMs, wholeMs, wholeMs, wholeMs]);
  });

  it('counts the retries that fit, also beyond the limit', () => {
    const { retries, maxRetries, total } = previewOf(
      { ...steady, maxAttempts: Infinity, totalTimeout: '1m' },
      { limit: 3 },
    );

    expect(retries).toHaveLength(3);
    expect(maxRetries).toBe(29);
    expect(total).toEqual({ minMs: 58_000, meanMs: 58_000, maxMs: 58_000 });
  });
});

describe('preview beyond the thousandth retry', () => {
  it('continues constant delays, with a worst case', () => {
    // 1500 retries of 2 s, and 1501 attempts of 1 s
    expect(previewOf({ ...steady, maxAttempts: 1_501 }, { attemptMs: 1_000 }).total).toEqual({
      minMs: 4_501_000,
      meanMs: 4_501_000,
      maxMs: 4_501_000,
    });
  });

  it('has the range of the jitter to the end without a total timeout', () => {
    const input = { maxAttempts: 1_501, jitter: 'equal', backoff: { type: 'constant', base: '1s' } } as const;

    expect(previewOf(input).total).toEqual({ minMs: 750_000, meanMs: 1_125_000, maxMs: 1_500_000 });
  });

  it.each([
    [3_600_000, 1_799, 3_598_000],
    [3_600_001, 1_800, 3_600_000],
  ])('counts the retries that fit into a total timeout of %d ms', (deadline, maxRetries, lastMs) => {
    const plan = previewOf({ ...steady, maxAttempts: 5_000, totalTimeout: deadline });

    expect(plan.maxRetries).toBe(maxRetries);
    expect(plan.total).toEqual({ minMs: lastMs, meanMs: lastMs, maxMs: lastMs });
  });

  it('counts the retries that the policy allows if more would fit', () => {
    const plan = previewOf({ ...steady, maxAttempts: 1_501, totalTimeout: '1h' });

    expect(plan.maxRetries).toBe(1_500);
    expect(plan.total).toEqual({ minMs: 3_000_000, meanMs: 3_000_000, maxMs: 3_000_000 });
  });

  it('counts every retry if the shortest delays are 0', () => {
    const full = { maxAttempts: Infinity, jitter: 'full', totalTimeout: '1d' } as const;

    expect(previewOf(full).maxRetries).toBe(Infinity);
    expect(previewOf({ ...full, maxAttempts: 5_000 }).maxRetries).toBe(4_999);
  });

  it('may end sooner than its last retry where a slow draw ends it', () => {
    // 600 to 1100 ms a round: the slowest way has not met the deadline after a thousand retries. The attempt that
    // ends at 1 199 000 may draw 1 s and be the last; the one after the thousandth retry ends after 600 100 at least.
    const { maxRetries, total } = previewOf(
      {
        maxAttempts: 5_000,
        jitter: 'equal',
        backoff: { type: 'constant', base: '1s' },
        totalTimeout: 1_200_000,
      },
      { attemptMs: 100 },
    );

    expect(maxRetries).toBe(1_999);
    expect(total.minMs).toBeLessThanOrEqual(1_199_000);
    expect(total.minMs).toBeGreaterThanOrEqual(600_100);
    expect(total.maxMs).toBe(1_200_000);
  });

  it('does not treat delays that still shrink as constant', () => {
    // All waits together stay below 1000 / (1 - 0.999) = 1 000 000 ms, so the deadline cuts none.
    const { maxRetries, total } = previewOf({
      maxAttempts: 10_000,
      jitter: 'none',
      backoff: { type: 'exponential', base: '1s', factor: 0.999 },
      totalTimeout: 2_000_000,
    });

    expect(maxRetries).toBe(9_999);
    expect(total.minMs).toBeLessThanOrEqual(1_000_000);
    expect(total.maxMs).toBeGreaterThanOrEqual(999_900);
  });

  it('reads a list of delays to its end', () => {
    const delays = Array.from({ length: 1_500 }, (_, index) => (index === 1_200 ? 10_000 : 1));
    const list = { jitter: 'none', backoff: { type: 'list', delays } } as const;

    // 1499 of 1 ms and one of 10 s; then 500 more of 1 ms
    expect(previewOf({ ...list, maxAttempts: 1_501 }).total.maxMs).toBe(11_499);
    expect(previewOf({ ...list, maxAttempts: 2_001 }).total.maxMs).toBe(11_999);
    expect(previewOf({ ...list, maxAttempts: 2_001 }, { limit: 3 }).total.minMs).toBe(11_999);
  });

  it('is a number if delays still grow and the total timeout allows no further retry', () => {
    // 1 + 2 + ... + 1000 = 500 500 ms; the next would start at 501 501.
    const { maxRetries, total } = previewOf({
      maxAttempts: 5_000,
      jitter: 'none',
      maxDelay: 'Infinity',
      backoff: { type: 'linear', base: 1 },
      totalTimeout: 501_000,
    });

    expect(maxRetries).toBe(1_000);
    expect(total).toEqual({ minMs: 500_500, meanMs: 500_500, maxMs: 500_500 });
  });
});

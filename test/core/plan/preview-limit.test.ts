import type { PolicyInput, Preview, PreviewOptions } from '@retry/core';
import { definePolicy, preview } from '@retry/core';
import { describe, expect, it } from 'vitest';

const steady = { backoff: { type: 'constant', base: '2s' }, jitter: 'none' } as const satisfies PolicyInput;

function previewOf(input: PolicyInput, options?: PreviewOptions): Preview {
  return preview(definePolicy(input), options);
}

describe('preview beyond its limit', () => {
  it('goes on with waits that stay', () => {
    expect(previewOf({ ...steady, maxAttempts: 101 }, { limit: 10, attemptMs: 1_000 }).total).toEqual({
      minMs: 301_000,
      meanMs: 301_000,
      maxMs: 301_000,
    });
  });

  it('has no worst case where waits still grow after the thousandth retry', () => {
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
  ])('says the %d ms of the whole, whatever the limit: %j', (wholeMs, backoff) => {
    const input = { maxAttempts: 10, jitter: 'none', backoff } as const;

    const totals = [0, 1, 2, 3, 8].map((limit) => previewOf(input, { limit }).total.maxMs);

    expect(totals).toEqual([wholeMs, wholeMs, wholeMs, wholeMs, wholeMs]);
  });

  it('counts the retries that fit also beyond the limit', () => {
    const { retries, maxRetries, total } = previewOf(
      { ...steady, maxAttempts: Infinity, deadline: '1m' },
      { limit: 3 },
    );

    expect(retries).toHaveLength(3);
    expect(maxRetries).toBe(29);
    expect(total).toEqual({ minMs: 58_000, meanMs: 58_000, maxMs: 58_000 });
  });
});

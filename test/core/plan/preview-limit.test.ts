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

  it.each<[string, number, PolicyInput['backoff'] & object]>([
    ['exponential', 3, { type: 'exponential', base: 1 }],
    ['fibonacci, which starts with two alike', 2, { type: 'fibonacci', base: 1 }],
  ])('has no worst case while waits still grow: %s', (_name, limit, backoff) => {
    const total = previewOf({ maxAttempts: 10, jitter: 'none', backoff }, { limit }).total;

    expect(total.maxMs).toBe(Infinity);
  });

  it.each<[number, PolicyInput['backoff'] & object]>([
    [18_000, { type: 'constant', base: '2s' }],
    [88, { type: 'fibonacci', base: 1 }],
    [702, { type: 'list', delays: [1, 1, 100] }],
    [9, { type: 'list', delays: [1] }],
  ])('never says less than the %d ms of the whole, whatever the limit: %j', (wholeMs, backoff) => {
    const input = { maxAttempts: 10, jitter: 'none', backoff } as const;

    const totals = [0, 1, 2, 3, 8].map((limit) => previewOf(input, { limit }).total.maxMs);

    expect(previewOf(input).total.maxMs).toBe(wholeMs);
    expect(totals.filter((maxMs) => maxMs < wholeMs)).toEqual([]);
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

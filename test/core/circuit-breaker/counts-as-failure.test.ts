import type { Counters, PolicyInput } from '@retry/core';
import { decide, definePolicy, NonRetryableError } from '@retry/core';
import { countsAsFailure } from '@retry/core/circuit-breaker';
import { describe, expect, it } from 'vitest';

const AWAY = new TypeError('away');

/** What the policy decides about an error, as a circuit breaker counts it. */
function counts(input: PolicyInput, error: unknown = AWAY, counters: Counters = { failures: 1 }): boolean {
  const decision = decide(definePolicy(input), counters, { error }, { now: 0, random: () => 0 });
  return countsAsFailure(decision.type === 'fail' ? decision.reason : undefined);
}

describe('countsAsFailure', () => {
  it('counts an error that the policy retries', () => {
    expect(counts({ retryOn: [TypeError] })).toBe(true);
  });

  it('counts an expected error although the retrying ends', () => {
    expect(counts({ maxAttempts: 2 }, AWAY, { failures: 2 })).toBe(true);
    expect(counts({ retryable: false })).toBe(true);
    expect(counts({ totalTimeout: 1, backoff: { type: 'constant', base: 5 }, jitter: 'none' })).toBe(true);
    expect(counts({}, { retryAfter: 0, headers: { 'retry-after': '9999' } })).toBe(true);
    expect(countsAsFailure('budget')).toBe(true);
  });

  it('does not count an error that the policy does not expect', () => {
    expect(counts({ retryOn: [RangeError] })).toBe(false);
    expect(counts({ retryOn: 'nothing' })).toBe(false);
  });

  it('does not count an error that a rule stops', () => {
    expect(counts({ stopOn: [TypeError] })).toBe(false);
    expect(counts({ retryIf: () => false })).toBe(false);
    expect(counts({}, new NonRetryableError('no'))).toBe(false);
  });
});

import { type Counters, definePolicy, isEligible } from '@retry/core';
import { chargedAttempts } from '@retry/core/broker/kit';
import { describe, expect, it } from 'vitest';

const SEED_002 = { retryable: true, maxAttempts: 3 };

describe('isEligible', () => {
  // seed 002: attempts = 0 is always eligible, also with max_attempts = 0 and retryable = false
  it.each([
    { retryable: true, maxAttempts: 3 },
    { retryable: false, maxAttempts: 3 },
    { retryable: true, maxAttempts: 0 },
    { retryable: false, maxAttempts: 0 },
    { retryable: true, maxAttempts: -1 },
  ])('lets the first attempt start whatever the policy: %o', (policy) => {
    expect(isEligible(policy, { failures: 0 })).toBe(true);
  });

  it('lets maxAttempts 1 run exactly once', () => {
    // seed 002: max_attempts = 1 means exactly one attempt
    expect([0, 1, 2].map((failures) => isEligible({ ...SEED_002, maxAttempts: 1 }, { failures }))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('lets maxAttempts 3 run three times', () => {
    // seed 002: attempts < max_attempts
    expect([0, 1, 2, 3, 4].map((failures) => isEligible(SEED_002, { failures }))).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('allows one run if the policy is not retryable', () => {
    // seed 002: retryable = false, max_attempts = 3
    expect([0, 1, 2].map((failures) => isEligible({ ...SEED_002, retryable: false }, { failures }))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('has no end without a limit', () => {
    expect(isEligible(definePolicy({ maxAttempts: Infinity }), { failures: 1e15 })).toBe(true);
  });

  it('agrees with the defaults of seed 002', () => {
    // seed 002: max_attempts 3, retryable true
    expect(definePolicy()).toMatchObject(SEED_002);
  });

  it('charges stalls as it charges failures', () => {
    expect(isEligible(SEED_002, { failures: 1, stalls: 1 })).toBe(true);
    expect(isEligible(SEED_002, { failures: 1, stalls: 2 })).toBe(false);
    expect(isEligible(SEED_002, { failures: 0, stalls: 3 })).toBe(false);
  });
});

describe('chargedAttempts', () => {
  it.each<[Counters, number]>([
    [{ failures: 0 }, 0],
    [{ failures: 2 }, 2],
    [{ failures: 2, stalls: 3 }, 5],
    [{ failures: 0, stalls: 1, previousDelayMs: 7 }, 1],
  ])('of %o are %d', (counters, charged) => {
    expect(chargedAttempts(counters)).toBe(charged);
  });
});

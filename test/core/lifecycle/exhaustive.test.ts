import { describe, expect, it } from 'vitest';
import { describeRuns, examine } from './describe-runs.ts';
import type { Limits } from './worker-events.ts';

const LIMITS: Limits = {
  maxAttempts: 3,
  maxStalls: 3,
  maxRateLimits: 1,
  maxRedrives: 2,
  maxClaims: 4,
  keepsExhausted: false,
};

describeRuns(LIMITS);
describeRuns({ ...LIMITS, maxAttempts: 1, maxRedrives: 1, maxRateLimits: 2, maxClaims: 6 });

describe('a redrive that keeps the attempts of an exhausted run', () => {
  const findings = examine({ ...LIMITS, maxRedrives: 1, keepsExhausted: true });
  const charged = [...findings.nodes.values()].map(({ run }) => run.carried + run.failures + run.stalls);

  it('allows one attempt beyond maxAttempts, and no more', () => {
    // 3 attempts, 1 redrive: the caller of a redrive must check isEligible, because the lifecycle knows no policy.
    expect(Math.max(...charged)).toBe(4);
  });

  it('breaks no other law', () => {
    expect([...findings.broken]).toEqual([]);
  });
});

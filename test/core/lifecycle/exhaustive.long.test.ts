import { describeRuns } from './describe-runs.ts';
import type { Limits } from './worker-events.ts';

const LIMITS: Limits = {
  maxAttempts: 3,
  maxStalls: 3,
  maxRateLimits: 2,
  maxRedrives: 2,
  maxClaims: 6,
  keepsExhausted: false,
};

describeRuns(LIMITS);
describeRuns({ ...LIMITS, maxAttempts: 2, maxRedrives: 1 });
// More attempts than recoveries: here maxStalls ends a run.
describeRuns({ ...LIMITS, maxAttempts: 6, maxRedrives: 1, maxRateLimits: 1 });
describeRuns({ ...LIMITS, maxAttempts: 3, maxRedrives: 1, carried: 2 });

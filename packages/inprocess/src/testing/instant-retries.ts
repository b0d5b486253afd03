import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, extendPolicy } from '@retry/core';

/** The same policy without waits between its attempts, for tests that do not care about time. */
export function instantRetries(policy: Policy | PolicyInput): Policy {
  const atOnce = { backoff: { type: 'none' }, jitter: 'none', minDelay: 0, granularity: 0 } as const;
  return extendPolicy(definePolicy(policy), { ...atOnce, retryAfter: { mode: 'ignore' } });
}

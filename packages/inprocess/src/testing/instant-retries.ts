import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, extendPolicy } from '@retry/core';

/**
 * Returns the same policy without delays, before its first attempt or between attempts, for tests that are not about time. What
 * would choose a delay is not asked: a custom strategy, and servers, whose refusals therefore do not end the retrying.
 */
export function instantRetries(policy: Policy | PolicyInput): Policy {
  return extendPolicy(definePolicy(policy), {
    backoff: { type: 'none' },
    delays: [],
    jitter: 'none',
    minDelay: 0,
    granularity: 0,
    initialDelay: 0,
    retryAfter: { mode: 'ignore' },
  });
}

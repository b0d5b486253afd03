import type { PolicyInput } from './policy.ts';

/**
 * The defaults of a task, which outlives outages: 10 attempts from 1 s, doubling up to 10 minutes, under full jitter,
 * and a server's delay of up to a day. `definePolicy()` holds those of a call, whose caller waits.
 *
 * @see docs/policies.md#defaults
 */
export const TASK_POLICY: PolicyInput = Object.freeze({
  maxAttempts: 10,
  backoff: Object.freeze({ type: 'exponential', base: '1s', factor: 2 }),
  jitter: 'full',
  maxDelay: '10m',
  retryAfter: Object.freeze({ max: '24h' }),
});

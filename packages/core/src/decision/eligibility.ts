import type { Policy } from '../policy/policy.ts';
import type { Counters } from './counters.ts';
import { chargedAttempts } from './counters.ts';

/**
 * Whether another attempt may start: always when nothing is charged yet, else only if the policy is
 * retryable and attempts are left.
 *
 * @see docs/sources.md#eligibility (seed 002)
 */
export function isEligible(policy: Pick<Policy, 'maxAttempts' | 'retryable'>, counters: Counters): boolean {
  const charged = chargedAttempts(counters);
  return charged === 0 || (policy.retryable && charged < policy.maxAttempts);
}

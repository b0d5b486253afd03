import { isNonRetryable } from '../markers.ts';
import { isYes } from '../matching/answer.ts';
import { findMatch } from '../matching/matches-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { Counters } from './counters.ts';
import { chargedAttempts } from './counters.ts';
import type { FailReason } from './decision.ts';

/**
 * The rules that need no clock: why this failure may not be retried, or `undefined` when it may.
 *
 * Throws what a predicate or the gate throws.
 */
export function judge(policy: Policy, counters: Counters, error: unknown): FailReason | undefined {
  const { retryOn, stopOn, retryIf } = policy;
  if (isNonRetryable(error) || findMatch(stopOn, error) !== -1) return 'stopped';
  if (retryOn === 'nothing' || (retryOn.length > 0 && findMatch(retryOn, error) === -1)) return 'unexpected';
  if (!policy.retryable) return 'not-retryable';

  const attempt = chargedAttempts(counters);
  if (!(attempt < policy.maxAttempts)) return 'exhausted';
  return retryIf === undefined || isYes(retryIf.test(error, { attempt })) ? undefined : 'stopped';
}

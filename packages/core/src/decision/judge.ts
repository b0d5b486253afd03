import { isRetryError } from '../errors.ts';
import { isNonRetryable } from '../markers.ts';
import { isYes } from '../matching/answer.ts';
import { findMatch } from '../matching/matches-error.ts';
import type { Policy } from '../policy/policy.ts';
import type { Counters } from './counters.ts';
import { chargedAttempts } from './counters.ts';
import type { FailReason, Failure } from './decision.ts';

/**
 * The rules that need no clock: why this failure may not be retried, or `undefined` when it may.
 *
 * Throws what a predicate or the gate throws.
 */
export function judge(policy: Policy, counters: Counters, failure: Failure): FailReason | undefined {
  const { stopOn, retryIf } = policy;
  const { error } = failure;
  if (isNonRetryable(error) || findMatch(stopOn, error) !== -1) return 'stopped';
  if (!isExpectedTimeout(policy, failure) && !isExpected(policy, error)) return 'unexpected';
  if (!policy.retryable) return 'not-retryable';

  const attempt = chargedAttempts(counters);
  if (!(attempt < policy.maxAttempts)) return 'exhausted';
  return retryIf === undefined || isYes(retryIf.test(error, { attempt })) ? undefined : 'stopped';
}

/** Whether the failure is an attempt timeout, which the policy expects whatever its `retryOn` says. */
export function isExpectedTimeout({ retryTimeouts }: Policy, { error, timedOut }: Failure): boolean {
  return retryTimeouts && (timedOut ?? isRetryError(error, 'ATTEMPT_TIMEOUT'));
}

function isExpected({ retryOn }: Policy, error: unknown): boolean {
  return retryOn !== 'nothing' && (retryOn.length === 0 || findMatch(retryOn, error) !== -1);
}

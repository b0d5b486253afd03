import { isRetryError } from '../errors.ts';
import { isNonRetryable } from '../markers.ts';
import { isYes } from '../matching/answer.ts';
import { findMatch } from '../matching/find-match.ts';
import type { Matcher } from '../matching/matcher.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { Counters } from './counters.ts';
import { chargedAttempts, factsOf } from './counters.ts';
import type { DecisionContext, FailReason, Failure } from './decision.ts';

/** The reasons of the rules that need no clock. */
export type RuleReason = Extract<FailReason, 'unexpected' | 'exhausted' | 'not-retryable' | 'stopped'>;

/**
 * Applies the rules that need no clock. Returns why this failure may not be retried, `undefined` if it may. Errors of a
 * predicate or of the gate pass through.
 *
 * @param context - what the gate learns of it; without it, the gate knows only the counters
 */
export function judge(
  policy: PolicySettings,
  counters: Counters,
  failure: Failure,
  context?: DecisionContext,
): RuleReason | undefined {
  const { stopOn, retryIf } = policy;
  const { error } = failure;
  if (isNonRetryable(error) || findMatch(stopOn, error) !== -1) return 'stopped';
  if (!isExpectedTimeout(policy, failure) && !isExpected(policy, error)) return 'unexpected';
  if (!policy.retryable) return 'not-retryable';

  const attempt = chargedAttempts(counters);
  if (!(attempt < policy.maxAttempts)) return 'exhausted';
  if (retryIf === undefined) return undefined;
  const answer = retryIf.test(error, { attempt, ...factsOf(counters, context) });
  return isYes(answer) ? undefined : 'stopped';
}

/** Returns whether the failure is an attempt timeout that is expected whatever `retryOn` is. */
export function isExpectedTimeout({ retryTimeouts }: PolicySettings, { error, timedOut }: Failure): boolean {
  return retryTimeouts && (timedOut ?? isRetryError(error, 'ATTEMPT_TIMEOUT'));
}

function isExpected({ retryOn, idempotent }: PolicySettings, error: unknown): boolean {
  if (typeof retryOn === 'string') return retryOn === 'everything';
  return findMatch(retryOn, error) !== -1 && (idempotent || !mayBeApplied(retryOn, error));
}

/** Returns whether a pattern for what may have been applied matches, too: it counts more than one for what was not. */
export function mayBeApplied(matchers: readonly Matcher[], error: unknown): boolean {
  return findMatch(matchers.filter(isAmbiguous), error) !== -1;
}

/** Returns whether a matcher is for errors after which the attempt may have been applied. */
export function isAmbiguous(matcher: Matcher): boolean {
  return typeof matcher !== 'function' && matcher.ambiguous === true;
}

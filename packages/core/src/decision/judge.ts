import { RetryError } from '../errors.ts';
import { isNonRetryable } from '../markers.ts';
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
  return retryIf === undefined || isAllowed(retryIf.test(error, { attempt })) ? undefined : 'stopped';
}

/** A promise is always truthy: taking it for a yes would retry for ever what the gate wanted to stop. */
function isAllowed(answer: unknown): boolean {
  if (typeof answer === 'object' && answer !== null && 'then' in answer) {
    throw new RetryError(
      'ASYNC_GATE',
      'retryIf must answer at once, got a promise. Ask before the attempt ends.',
    );
  }
  return Boolean(answer);
}

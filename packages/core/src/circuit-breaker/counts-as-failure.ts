import type { FailReason } from '../decision/decision.ts';

const COUNTS: Readonly<Record<FailReason, boolean>> = {
  unexpected: false,
  stopped: false,
  exhausted: true,
  'not-retryable': true,
  'total-timeout': true,
  'retry-after': true,
  budget: true,
};

/**
 * Returns whether a failed attempt is a failure of the dependency, by what the policy decided about it: it is one if the
 * policy retries it, or would if attempts, time or budget were left. Other errors (`unexpected`, `stopped`) say nothing
 * about the dependency: they count neither as failure nor as success.
 *
 * @param reason - why the retrying ended; `undefined` if it continues
 */
export function countsAsFailure(reason: FailReason | undefined): boolean {
  return reason === undefined || COUNTS[reason];
}

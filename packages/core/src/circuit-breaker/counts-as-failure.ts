import type { FailReason } from '../decision/decision.ts';
import { InvalidOptionsError } from '../errors.ts';
import { useOneOf } from '../fields/cures.ts';

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
 * @throws {InvalidOptionsError} when it is no such reason
 */
export function countsAsFailure(reason: FailReason | undefined): boolean {
  if (reason !== undefined && !(typeof reason === 'string' && Object.hasOwn(COUNTS, reason)))
    refuseReason(reason);
  return countsBy(reason);
}

/** Answers as `countsAsFailure` does, for a reason that `decide` has given. */
export function countsBy(reason: FailReason | undefined): boolean {
  return reason === undefined || COUNTS[reason];
}

function refuseReason(value: unknown): never {
  const cure = useOneOf(Object.keys(COUNTS));
  const problem = { path: 'reason', value, message: 'is not a reason to end', cure };
  throw new InvalidOptionsError([problem], 'countsAsFailure');
}

import { AttemptTimeoutError, isRetryError, TotalTimeoutError } from '@retry/core';
import { markCutFor, wasCutFor } from '@retry/core/fields';
import type { Attempt, Call } from './plan.ts';

type TimedCall = Pick<Call, 'plan' | 'startedAt'>;

/** Returns the milliseconds until the total timeout of a call, `0 ≤ ms ≤ Infinity`; `NaN` if either instant is. */
export function timeLeft({ plan, startedAt }: TimedCall, now: number): number {
  const { policy, deadlineAt } = plan;
  return Math.max(Math.min(policy.totalTimeoutMs - (now - startedAt), deadlineAt - now), 0);
}

/** Returns the total timeout of a call: its policy's, or what the attempt around it had left. */
export function totalTimeoutOf({ plan, startedAt }: TimedCall): number {
  const { policy, deadlineAt } = plan;
  return Math.min(policy.totalTimeoutMs, Math.max(Math.round(deadlineAt - startedAt), 0));
}

/** Returns the error of an attempt that took too long, by the timeout that cut it. */
export function timeoutErrorOf(call: TimedCall & Pick<Call, 'attempts'>, attempt: Attempt): Error {
  if (!attempt.isTotal) return new AttemptTimeoutError(attempt.timeoutMs, call.attempts);
  const error = new TotalTimeoutError(totalTimeoutOf(call), call.attempts);
  const { around, deadlineAt, policy } = call.plan;
  if (around !== undefined && deadlineAt < call.startedAt + policy.totalTimeoutMs) markCutFor(error, around);
  return error;
}

/** Returns whether the error is that of an attempt which took too long, of whatever call. */
export function isTimeout(error: unknown): boolean {
  return isRetryError(error, 'ATTEMPT_TIMEOUT') || isRetryError(error, 'TOTAL_TIMEOUT');
}

/**
 * Returns whether an attempt failed because a call inside it had used up its time. Both have a timer for that instant: whichever
 * fires first, the attempt has timed out.
 */
export function isTimeoutOf(attempt: Attempt, error: unknown): boolean {
  return attempt.timeoutMs < Infinity && wasCutFor(error, attempt);
}

import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
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
  return attempt.isTotal
    ? new TotalTimeoutError(totalTimeoutOf(call), call.attempts)
    : new AttemptTimeoutError(attempt.timeoutMs, call.attempts);
}

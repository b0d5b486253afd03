import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
import type { Attempt, AttemptLimit, Call } from './plan.ts';

type TimedCall = Pick<Call, 'plan' | 'startedAt'>;

/** How long something may run, and what happens then. */
interface TimeLimit {
  readonly timeoutMs: number;
  /** Called when the time is over; settles the promise. */
  readonly onTimeout: (settle: {
    readonly resolve: (value?: unknown) => void;
    readonly reject: (error: unknown) => void;
  }) => void;
}

/** Returns the milliseconds until the total timeout of a call, `0 ≤ ms ≤ Infinity`. */
export function timeLeft({ plan, startedAt }: TimedCall, now: number): number {
  const { policy, deadlineAt } = plan;
  const endsAt = policy.totalTimeoutMs === Infinity ? Infinity : startedAt + policy.totalTimeoutMs;
  return Math.max(Math.min(endsAt, deadlineAt) - now, 0);
}

/** Returns the total timeout of a call: its policy's, or what the attempt around it had left. */
export function totalTimeoutOf({ plan, startedAt }: TimedCall): number {
  const { policy, deadlineAt } = plan;
  const isOwn = policy.totalTimeoutMs < Infinity && startedAt + policy.totalTimeoutMs <= deadlineAt;
  return isOwn ? policy.totalTimeoutMs : Math.max(Math.round(deadlineAt - startedAt), 0);
}

/** Returns when the next attempt starts and how long it may take, by the earlier of both timeouts. */
export function limitOf(call: Call): AttemptLimit {
  const { plan, isTimed } = call;
  const { attemptTimeoutMs } = plan.policy;
  if (!isTimed && attemptTimeoutMs === Infinity && plan.deadlineAt === Infinity) return NO_LIMIT;
  const startedAt = plan.clock.now();
  const leftMs = timeLeft(call, startedAt);
  const isTotal = leftMs <= attemptTimeoutMs && leftMs < Infinity;
  if (!isTotal) return { startedAt, timeoutMs: attemptTimeoutMs, totalMs: undefined };
  return { startedAt, timeoutMs: leftMs, totalMs: totalTimeoutOf(call) };
}

const NO_LIMIT: AttemptLimit = { startedAt: Number.NaN, timeoutMs: Infinity, totalMs: undefined };

/** Runs one attempt under its timeout. On a timeout its signal aborts, and its later outcome is ignored. */
export function runAttempt(start: () => unknown, attempt: Attempt): Promise<unknown> {
  const onTimeout: TimeLimit['onTimeout'] = ({ reject }) => {
    attempt.isTimedOut = true;
    const error = timeoutErrorOf(attempt);
    reject(error);
    attempt.interrupt?.(error);
  };
  return runWithin(start, { timeoutMs: attempt.timeoutMs, onTimeout }, attempt.call);
}

/** Runs a function under a time limit; what it does after the limit is ignored. */
export function runWithin(start: () => unknown, limit: TimeLimit, call: Call): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onTimeout = (): void => limit.onTimeout({ resolve, reject });
    const cancel = call.clock.setTimer(onTimeout, limit.timeoutMs);
    call.keepCancel(cancel);
    const ending = (settle: (value: unknown) => void) => (value: unknown) => {
      cancel();
      settle(value);
    };
    const run = async (): Promise<unknown> => start();
    run().then(ending(resolve), ending(reject));
  });
}

function timeoutErrorOf({ timeoutMs, totalMs, attempt }: Attempt): Error {
  return totalMs === undefined
    ? new AttemptTimeoutError(timeoutMs, attempt)
    : new TotalTimeoutError(totalMs, attempt);
}

import type { Clock } from '@retry/core';
import { AttemptTimeoutError, TotalTimeoutError } from '@retry/core';
import type { Attempt } from './attempt.ts';

/** What a time limit needs of its call. */
export interface Timekeeper {
  readonly clock: Clock;
  /** Keeps what has to be cleared when the caller aborts. */
  readonly hold: (cancel: () => void) => void;
}

/** How long something may run, and what is done then. */
export interface TimeLimit {
  readonly timeoutMs: number;
  /** Called once the time is over: settles in its place. */
  readonly cut: (settle: {
    readonly resolve: (value?: unknown) => void;
    readonly reject: (error: unknown) => void;
  }) => void;
}

/**
 * Runs one attempt under its timeout. When that is first, the attempt's signal aborts, and what it does later is
 * swallowed.
 */
export function runAttempt(start: () => unknown, attempt: Attempt, call: Timekeeper): Promise<unknown> {
  const cut: TimeLimit['cut'] = ({ reject }) => {
    attempt.isTimedOut = true;
    const error = timeoutOf(attempt);
    reject(error);
    attempt.interrupt?.(error);
  };
  return runWithin(start, { timeoutMs: attempt.timeoutMs, cut }, call);
}

/** Runs something under a time limit. When that is first, what it does later is swallowed. */
export function runWithin(start: () => unknown, limit: TimeLimit, call: Timekeeper): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onTimeout = (): void => limit.cut({ resolve, reject });
    const cancel = call.clock.setTimer(onTimeout, limit.timeoutMs);
    call.hold(cancel);
    const ending = (settle: (value: unknown) => void) => (value: unknown) => {
      cancel();
      settle(value);
    };
    const run = async (): Promise<unknown> => start();
    run().then(ending(resolve), ending(reject));
  });
}

function timeoutOf({ timeoutMs, totalMs, attempt }: Attempt): Error {
  return totalMs === undefined
    ? new AttemptTimeoutError(timeoutMs, attempt)
    : new TotalTimeoutError(totalMs, attempt);
}

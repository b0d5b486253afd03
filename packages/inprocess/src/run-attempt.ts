import type { Clock } from '@retry/core';
import { AttemptTimeoutError } from '@retry/core';
import type { Attempt } from './attempt.ts';

/** What an attempt with a limit needs of its call. */
export interface Timekeeper {
  readonly clock: Clock;
  /** Keeps what has to be cleared when the caller aborts. */
  readonly hold: (cancel: () => void) => void;
}

/**
 * Runs one attempt under its timeout. When that is first, the attempt is told to stop, and what it does later is
 * swallowed.
 */
export function runAttempt(start: () => unknown, attempt: Attempt, call: Timekeeper): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const { timeoutMs } = attempt;
    const cut = (): void => {
      attempt.isTimedOut = true;
      const error = new AttemptTimeoutError(timeoutMs, attempt.attempt);
      reject(error);
      attempt.interrupt?.(error);
    };
    const cancel = call.clock.setTimer(cut, timeoutMs);
    call.hold(cancel);
    const ending = (settle: (value: unknown) => void) => (value: unknown) => {
      cancel();
      settle(value);
    };
    const run = async (): Promise<unknown> => start();
    run().then(ending(resolve), ending(reject));
  });
}

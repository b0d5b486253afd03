import type { Clock } from '@retry/core';
import { AttemptTimeoutError } from '@retry/core';
import { offAbort, onAbort } from './abort-hub.ts';
import type { Attempt } from './attempt.ts';

/** What may end an attempt before it ends by itself, beside its own timeout. */
export interface Limits {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs one attempt; the first of its own end, its timeout and the caller's abort settles it. When it is not
 * its own end, the attempt's signal is aborted, and what it does later is swallowed.
 */
export function runAttempt(start: () => unknown, attempt: Attempt, limits: Limits): Promise<unknown> {
  return new Promise((resolve, reject) => {
    // A hook may have aborted it a moment ago.
    if (limits.signal?.aborted) return reject(limits.signal.reason);
    const release = watch(attempt, limits, reject);
    const fail = (error: unknown): void => {
      release();
      reject(error);
    };
    try {
      const succeed = (result: unknown): void => {
        release();
        resolve(result);
      };
      Promise.resolve(start()).then(succeed, fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** Sets what ends the attempt early; gives back how to take it away. */
function watch(attempt: Attempt, { clock, signal }: Limits, reject: (reason: unknown) => void): () => void {
  const { timeoutMs } = attempt;
  const interrupt = (reason: unknown): void => {
    release();
    reject(reason);
    attempt.interrupt(reason);
  };
  const onAborted = (): void => interrupt(signal?.reason);
  const cancelTimer =
    timeoutMs < Infinity ? clock.setTimer(() => interrupt(timeoutOf(attempt)), timeoutMs) : undefined;
  const release = (): void => {
    cancelTimer?.();
    if (signal !== undefined) offAbort(signal, onAborted);
  };
  if (signal !== undefined) onAbort(signal, onAborted);
  return release;
}

function timeoutOf(attempt: Attempt): AttemptTimeoutError {
  attempt.isTimedOut = true;
  return new AttemptTimeoutError(attempt.timeoutMs, attempt.attempt);
}

import type { Clock } from '@retry/core';
import { AttemptTimeoutError } from '@retry/core';
import { onAbort } from './abort-hub.ts';
import type { Attempt, AttemptContext } from './attempt-context.ts';

/** What may end an attempt before it ends by itself. */
export interface Limits {
  readonly clock: Clock;
  /** `Infinity` is no limit. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs one attempt; the first of its own end, its timeout and the caller's abort settles it. When it is not
 * its own end, the attempt's signal is aborted, and what it does later is swallowed.
 */
export function runAttempt<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  attempt: Attempt,
  limits: Limits,
): Promise<T> {
  const { clock, timeoutMs, signal } = limits;
  return new Promise<T>((resolve, reject) => {
    const interrupt = (reason: unknown): void => {
      release();
      reject(reason);
      attempt.stop(reason);
    };
    const onTimeout = (): void => interrupt(new AttemptTimeoutError(timeoutMs, attempt.attempt));
    const cancelTimer = timeoutMs < Infinity ? clock.setTimer(onTimeout, timeoutMs) : undefined;
    const stopListening = signal && onAbort(signal, () => interrupt(signal.reason));
    const release = (): void => {
      cancelTimer?.();
      stopListening?.();
    };
    call(fn, attempt).then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}

/** Runs now; a synchronous throw becomes a rejection. */
async function call<T>(fn: (context: AttemptContext) => T | PromiseLike<T>, attempt: Attempt): Promise<T> {
  return fn(attempt);
}

import type { Clock } from '@retry/core';
import { startWait } from '@retry/core/broker/kit';

/**
 * Waits for `delayMs` (`Infinity`: without a timer) or until the signal aborts. Never rejects; leaves neither timer nor
 * listener behind.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => void startWait(clock, { timeoutMs: delayMs, signal }, resolve));
}

/** Resolves or rejects as the work does; resolves with `whenAborted` if the signal aborts before. */
export function unlessAborted<Outcome>(
  work: Promise<Outcome>,
  signal: AbortSignal,
  whenAborted: Outcome,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(whenAborted);
    signal.addEventListener('abort', onAbort);
    work.finally(() => signal.removeEventListener('abort', onAbort)).then(resolve, reject);
  });
}

/** Runs a job repeatedly, each time `everyMs` after the previous one ended. @returns stops it */
export function repeat(
  clock: Clock,
  everyMs: number,
  job: { readonly run: () => Promise<void>; readonly onError: (error: unknown) => void },
): () => void {
  let cancelTimer = (): void => {};
  let isStopped = false;
  const arm = (): void => {
    if (!isStopped) cancelTimer = clock.setTimer(() => void job.run().catch(job.onError).then(arm), everyMs);
  };
  arm();
  return () => {
    isStopped = true;
    cancelTimer();
  };
}

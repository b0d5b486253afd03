import type { Clock } from '@retry/core';

/**
 * Waits for `delayMs` (`Infinity`: without a timer) or until the signal aborts. Never rejects; leaves neither timer nor
 * listener behind.
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = delayMs < Infinity ? clock.setTimer(wake, delayMs) : (): void => {};
    signal?.addEventListener('abort', wake);
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

import type { Clock } from '@retry/core';
import { onAbort } from './abort-hub.ts';

/**
 * Resolves after `delayMs`; a delay of 0 waits for no timer. Rejects at once with `signal.reason` when the
 * signal aborts, and leaves neither timer nor listener behind.
 */
export function wait(delayMs: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (delayMs <= 0) return Promise.resolve();
  if (signal === undefined) return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
  return new Promise((resolve, reject) => {
    const cancelTimer = clock.setTimer(() => {
      stopListening();
      resolve();
    }, delayMs);
    const stopListening = onAbort(signal, () => {
      cancelTimer();
      reject(signal.reason);
    });
  });
}

import type { Clock } from '@retry/core';

/** Waits so long (`Infinity`: without a timer), or until the signal aborts; leaves neither timer nor listener behind. Never rejects. */
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

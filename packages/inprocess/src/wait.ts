import type { Clock } from '@retry/core';
import { offAbort, onAbort } from './abort-hub.ts';
import { soon } from './soon.ts';

/** What may end a wait early. */
export interface Interruptions {
  readonly signal?: AbortSignal | undefined;
  /** Told how to end the wait; gives back how to take that away. */
  readonly park?: ((wake: () => void) => () => void) | undefined;
}

/**
 * Resolves after `delayMs`, or at once when it is interrupted; the caller looks why. Leaves neither timer nor
 * listener behind. A delay of 0 waits for no timer.
 */
export function wait(delayMs: number, clock: Clock, { signal, park }: Interruptions = {}): Promise<void> {
  if (delayMs <= 0 || signal?.aborted) return Promise.resolve();
  if (signal === undefined && park === undefined) {
    return new Promise((resolve) => void clock.setTimer(resolve, delayMs));
  }
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      if (signal !== undefined) offAbort(signal, end);
      unpark?.();
      resolve();
    };
    const cancelTimer = clock.setTimer(end, delayMs);
    if (signal !== undefined) onAbort(signal, end);
    const unpark = park?.(end);
  });
}

/** Lets the event loop turn once, so that timers and sockets are heard. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => void soon(resolve));
}

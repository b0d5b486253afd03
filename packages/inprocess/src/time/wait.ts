import type { Clock } from '@retry/core';
import { soon } from './soon.ts';

/** Told how to end a wait early; gives back how to take that away. */
export type Park = (wake: () => void) => () => void;

/**
 * Calls back once, after `delayMs` or when whoever parks the wait wakes it.
 *
 * @returns how to end it without calling back; it leaves nothing behind
 */
export function wait(callback: () => void, delayMs: number, clock: Clock, park?: Park): () => void {
  if (park === undefined) return clock.setTimer(callback, delayMs);
  const cancel = (): void => {
    cancelTimer();
    unpark();
  };
  const wake = (): void => {
    cancel();
    callback();
  };
  const cancelTimer = clock.setTimer(wake, delayMs);
  const unpark = park(wake);
  return cancel;
}

/** Lets the event loop turn once, so that timers and sockets are heard. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => void soon(resolve));
}

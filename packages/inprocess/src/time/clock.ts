import type { Clock } from '@retry/core';
import { backgroundTimers, createClock, runtimeTimers } from '@retry/core/clock';

const timers = runtimeTimers(globalThis);

/** The runtime's own clock. */
export const systemClock: Clock = createClock(timers);

/** The runtime's own clock, with timers that do not keep the process alive. */
export const backgroundClock: Clock = createClock(backgroundTimers(timers));

const { setImmediate: immediate, setTimeout: timeout } = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown; // not in browsers
  readonly setTimeout: (callback: () => void, delayMs: number) => unknown;
};

/**
 * Calls back in the next turn of the event loop. Reads the globals when the module is loaded: this is not a wait, so
 * fake timers must not hold it.
 */
export const nextTurn: (callback: () => void) => unknown =
  immediate ?? ((callback) => timeout.call(globalThis, callback, 0));

/** Lets timers and sockets of the event loop have one turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => void nextTurn(resolve));
}

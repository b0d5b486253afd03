import type { Clock } from '@retry/core';
import { createClock } from '@retry/core/clock';

/**
 * The runtime's `performance`. In Node it is a getter of the global object, and reading that for each instant takes a third of the time.
 */
const { performance } = globalThis;

/** Turns the monotonic clock into epoch milliseconds, so that a wall clock set back cannot prolong a timeout. */
const ORIGIN_AT = Date.now() - performance.now();

/** The runtime's own, to notice that a test runner has replaced them. */
const {
  setImmediate: immediate,
  setTimeout: timeout,
  Date: RealDate,
} = globalThis as {
  readonly setImmediate?: (callback: () => void) => unknown; // not in browsers
  readonly setTimeout: (callback: () => void, delayMs: number) => unknown;
  readonly Date: typeof Date;
};

/** The runtime's own: where only the date is faked, nothing would ever be due by it. */
const { now: dateNow } = RealDate;

/** Where timers and dates are faked, the fake date is the time: `node:test` fakes no `performance`. */
const isFaked = (): boolean => Date !== RealDate && (setTimeout as unknown) !== timeout;

const now = (): number => (isFaked() ? Date.now() : ORIGIN_AT + performance.now());

/** Follows a wall clock that is set, or goes on while the computer sleeps. */
const wallNow = (): number => (isFaked() ? Date.now() : dateNow());

const clear = (timer: ReturnType<typeof setTimeout>): void => clearTimeout(timer);

/** The runtime's own clock. Globals are read at each call, so that fake timers installed later work. */
export const systemClock: Clock = createClock({
  now,
  wallNow,
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear,
});

/** The runtime's own clock, with timers that do not keep the process alive; the timers of browsers are numbers without `unref`. */
export const backgroundClock: Clock = createClock({
  now,
  wallNow,
  set: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref?.();
    return timer;
  },
  clear,
});

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

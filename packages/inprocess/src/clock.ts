import type { Clock } from '@retry/core';
import { createClock } from '@retry/core/clock';

/** Turns the monotonic clock into epoch milliseconds, so that a wall clock set back cannot stretch a deadline. */
const ORIGIN_AT = Date.now() - performance.now();

const now = (): number => ORIGIN_AT + performance.now();

const clear = (timer: ReturnType<typeof setTimeout>): void => clearTimeout(timer);

/** The runtime's own clock. Globals are looked up at each call, so that fake timers installed later work. */
export const systemClock: Clock = createClock({
  now,
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear,
});

/** The same, with timers that let the process end; browsers, whose timers are numbers, have nothing to let go. */
export const unrefClock: Clock = createClock({
  now,
  set: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    timer.unref?.();
    return timer;
  },
  clear,
});

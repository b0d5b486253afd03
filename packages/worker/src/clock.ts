import type { Clock } from '@retry/core';
import { createClock } from '@retry/core/clock';

/** Turns the monotonic clock into epoch milliseconds, so that a wall clock set back cannot stall a worker. */
const ORIGIN_AT = Date.now() - performance.now();

/** The runtime's own clock. Globals are looked up at each call, so that fake timers installed later work. */
export const systemClock: Clock = createClock({
  now: () => ORIGIN_AT + performance.now(),
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
});

/** The rule of the option `clock`. */
export const A_CLOCK = {
  accepts: (value: unknown): value is Clock => {
    const clock: Partial<Clock> = typeof value === 'object' && value !== null ? value : {};
    return typeof clock.now === 'function' && typeof clock.setTimer === 'function';
  },
  message: 'must be a clock',
  cure: 'Leave it out for the real one.',
};

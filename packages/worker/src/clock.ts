import type { Clock } from '@retry/core';
import { createClock } from '@retry/core';

/** Turns the monotonic clock into epoch milliseconds, so that a wall clock set back cannot stall a worker. */
const ORIGIN_AT = Date.now() - performance.now();

/** The runtime's own clock. Globals are looked up at each call, so that fake timers installed later work. */
export const systemClock: Clock = createClock({
  now: () => ORIGIN_AT + performance.now(),
  set: (callback, delayMs) => setTimeout(callback, delayMs),
  clear: (timer: ReturnType<typeof setTimeout>) => clearTimeout(timer),
});

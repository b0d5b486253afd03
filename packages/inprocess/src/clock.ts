/** Cancels a timer; calling it twice, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/** Where time comes from. Only tests need their own. */
export interface Clock {
  /** Epoch milliseconds that never go backwards. */
  readonly now: () => number;
  /** Calls back once after `delayMs`, `0 ≤ delayMs < Infinity`, however long that is. */
  readonly setTimer: (callback: () => void, delayMs: number) => CancelTimer;
}

/** `setTimeout` takes a longer delay for 1 ms, which turns the longest backoff into a storm. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Turns the monotonic clock into epoch milliseconds, so that a wall clock set back cannot stretch a deadline. */
const ORIGIN_AT = Date.now() - performance.now();

/**
 * The runtime's own clock. Globals are looked up at each call, so that fake timers installed later work.
 * Longer waits than `setTimeout` can hold are made of several timers.
 */
export const systemClock: Clock = {
  now: () => ORIGIN_AT + performance.now(),
  setTimer: (callback, delayMs) => {
    let timer: ReturnType<typeof setTimeout>;
    const arm = (leftMs: number): void => {
      const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
      timer = setTimeout(() => (leftMs > partMs ? arm(leftMs - partMs) : callback()), partMs);
    };
    arm(delayMs);
    return () => clearTimeout(timer);
  },
};

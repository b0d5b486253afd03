/** Cancels a timer; calling it twice, or after the timer fired, does nothing. */
export type CancelTimer = () => void;

/** Where an imperative shell takes its time from. Core itself never reads one. */
export interface Clock {
  /** Epoch milliseconds that never go backwards. */
  readonly now: () => number;
  /** Calls back once after `delayMs`, `0 ≤ delayMs < Infinity`, however long that is. */
  readonly setTimer: (callback: () => void, delayMs: number) => CancelTimer;
}

/** What a runtime has to give to make a {@link Clock} of it. */
export interface Timers<Timer> {
  readonly now: () => number;
  readonly set: (callback: () => void, delayMs: number) => Timer;
  readonly clear: (timer: Timer) => void;
}

/** `setTimeout` takes a longer delay for 1 ms, which turns the longest backoff into a storm. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock over a runtime's timers; longer waits than `setTimeout` can hold are made of several. */
export function createClock<Timer>({ now, set, clear }: Timers<Timer>): Clock {
  return {
    now,
    setTimer: (callback, delayMs) => {
      let timer: Timer;
      const arm = (leftMs: number): void => {
        const partMs = Math.min(leftMs, LONGEST_TIMER_MS);
        timer = set(() => (leftMs > partMs ? arm(leftMs - partMs) : callback()), partMs);
      };
      // Node cuts a fraction off, and the timer would fire early.
      arm(Math.ceil(delayMs));
      return () => clear(timer);
    },
  };
}

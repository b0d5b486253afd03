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
export function createClock<Timer>(timers: Timers<Timer>): Clock {
  return { now: timers.now, setTimer: (callback, delayMs) => setTimer(timers, callback, delayMs) };
}

function setTimer<Timer>(timers: Timers<Timer>, callback: () => void, delayMs: number): CancelTimer {
  const { set, clear } = timers;
  if (delayMs > LONGEST_TIMER_MS) return setTimers(timers, callback, delayMs);
  // Node cuts a fraction off, and the timer would fire early.
  const timer = set(callback, Math.ceil(delayMs));
  return () => clear(timer);
}

function setTimers<Timer>(timers: Timers<Timer>, callback: () => void, delayMs: number): CancelTimer {
  let cancel: CancelTimer;
  const goOn = (): void => {
    cancel = setTimer(timers, callback, delayMs - LONGEST_TIMER_MS);
  };
  cancel = setTimer(timers, goOn, LONGEST_TIMER_MS);
  return () => cancel();
}

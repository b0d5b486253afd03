/** Cancels a timer; has no effect when called twice, or after the timer has fired. */
export type CancelTimer = () => void;

/** The source of time for code that waits. Core itself never reads one. */
export interface Clock {
  /** Epoch milliseconds that never go backwards. */
  readonly now: () => number;
  /** Calls back once after `delayMs`, `0 ≤ delayMs < Infinity`; `delayMs` may exceed the limit of `setTimeout`. */
  readonly setTimer: (callback: () => void, delayMs: number) => CancelTimer;
}

/** The functions of a runtime that a {@link Clock} is made from. */
export interface Timers<Timer> {
  readonly now: () => number;
  readonly set: (callback: () => void, delayMs: number) => Timer;
  readonly clear: (timer: Timer) => void;
}

/** The longest delay of `setTimeout`, which fires after 1 ms when it is given a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates a clock from a runtime's timers; a delay beyond the limit of `setTimeout` uses several timers in a row. */
export function createClock<Timer>(timers: Timers<Timer>): Clock {
  return { now: timers.now, setTimer: (callback, delayMs) => setTimer(timers, callback, delayMs) };
}

function setTimer<Timer>(timers: Timers<Timer>, callback: () => void, delayMs: number): CancelTimer {
  const { set, clear } = timers;
  if (delayMs > LONGEST_TIMER_MS) return setTimers(timers, callback, delayMs);
  // Node drops the fraction, so the timer would fire early.
  const timer = set(callback, Math.ceil(delayMs));
  return () => clear(timer);
}

function setTimers<Timer>(timers: Timers<Timer>, callback: () => void, delayMs: number): CancelTimer {
  let cancel: CancelTimer;
  const setNext = (): void => {
    cancel = setTimer(timers, callback, delayMs - LONGEST_TIMER_MS);
  };
  cancel = setTimer(timers, setNext, LONGEST_TIMER_MS);
  return () => cancel();
}

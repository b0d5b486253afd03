import { InvalidOptionsError } from './errors.ts';

/** Cancels a timer; has no effect when called twice, or after the timer has fired. */
export type CancelTimer = () => void;

/** The source of time for code that waits. Core itself never reads one. */
export interface Clock {
  /** Epoch milliseconds that never go backwards: how long something took is the difference of two. */
  readonly now: () => number;
  /**
   * Epoch milliseconds of the wall clock, which may be set, or go on while the computer sleeps: what instants that others wrote are
   * compared with. @default now
   */
  readonly wallNow?: (() => number) | undefined;
  /** Calls back once after `delayMs`, `0 ≤ delayMs < Infinity`; `delayMs` may exceed the limit of `setTimeout`. */
  readonly setTimer: (callback: () => void, delayMs: number) => CancelTimer;
}

/** The functions of a runtime that a {@link Clock} is made from. */
export interface Timers<Timer> {
  /** Epoch milliseconds that never go backwards. */
  readonly now: () => number;
  /** @default now */
  readonly wallNow?: (() => number) | undefined;
  /** Calls back once; `delayMs` is a whole number of at most 2 147 483 647, the limit of `setTimeout`. */
  readonly set: (callback: () => void, delayMs: number) => Timer;
  /** Cancels what `set` returned; must do nothing once that has fired, or when called twice. */
  readonly clear: (timer: Timer) => void;
}

/** The longest delay of `setTimeout`, which fires after 1 ms when it is given a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates a clock from a runtime's timers; a delay beyond the limit of `setTimeout` uses several timers in a row. */
export function createClock<Timer>(timers: Timers<Timer>): Clock {
  const { now, wallNow } = timers;
  return { now, wallNow, setTimer: (callback, delayMs) => setTimer(timers, callback, delayMs) };
}

/** The globals of a runtime that its timers are made from: `globalThis`, which core itself never reads. */
export interface RuntimeGlobals<Timer> {
  readonly Date: { readonly now: () => number };
  readonly performance: { readonly now: () => number };
  readonly setTimeout: (callback: () => void, delayMs: number) => Timer;
  readonly clearTimeout: (timer: Timer) => void;
}

/**
 * Returns a runtime's own timers, and a `now` that starts at the wall clock and is monotonic: a wall clock that is set back can neither
 * prolong a timeout nor stall a worker. Globals are read at each call, so that fake timers installed later work.
 */
export function runtimeTimers<Timer>(globals: RuntimeGlobals<Timer>): Timers<Timer> {
  // In Node `performance` is a getter of the global object, and reading that for each instant takes a third of the time.
  const { Date: RealDate, setTimeout: realTimeout, performance: monotonic } = globals;
  // The wall clock where only the date is faked: nothing would ever be due by that.
  const { now: dateNow } = RealDate;
  const originAt = dateNow() - monotonic.now();
  // Where timers and dates are faked, the fake date is the time: `node:test` fakes no `performance`.
  const isFaked = (): boolean => globals.Date !== RealDate && globals.setTimeout !== realTimeout;
  return {
    now: () => (isFaked() ? globals.Date.now() : originAt + monotonic.now()),
    wallNow: () => (isFaked() ? globals.Date.now() : dateNow()),
    set: (callback, delayMs) => globals.setTimeout(callback, delayMs),
    clear: (timer) => globals.clearTimeout(timer),
  };
}

/** Returns timers that do not keep the process alive. Those of browsers are numbers without `unref`, and stay as they are. */
export function backgroundTimers<Timer extends { readonly unref?: () => unknown }>(
  timers: Timers<Timer>,
): Timers<Timer> {
  const set: Timers<Timer>['set'] = (callback, delayMs) => {
    const timer = timers.set(callback, delayMs);
    timer.unref?.();
    return timer;
  };
  return { ...timers, set };
}

/** Returns now by the wall clock, in epoch milliseconds. */
export function wallNowOf(clock: Pick<Clock, 'now' | 'wallNow'>): number {
  return clock.wallNow === undefined ? clock.now() : clock.wallNow();
}

/** A wall clock that is off by less was only adjusted, and instants are rounded. */
const LEAST_STEP_MS = 1_000;

/**
 * Returns how many milliseconds the wall clock is ahead of `now`, to turn an instant of `now` into one of others; 0 if not even a second.
 *
 * @param now - what `now` has just returned
 */
export function wallAheadMs(clock: Pick<Clock, 'now' | 'wallNow'>, now: number = clock.now()): number {
  if (clock.wallNow === undefined) return 0;
  const aheadMs = clock.wallNow() - now;
  return Math.abs(aheadMs) < LEAST_STEP_MS ? 0 : Math.round(aheadMs);
}

function setTimer<Timer>(timers: Timers<Timer>, callback: () => void, delayMs: number): CancelTimer {
  const restMs = delayMs - LONGEST_TIMER_MS;
  const setRest = (): void => {
    cancel = setTimer(timers, callback, restMs);
  };
  // Node drops a fraction, so the timer would fire early, and warns of a deadline that has passed.
  const wholeMs = Math.min(Math.max(Math.ceil(delayMs), 0), LONGEST_TIMER_MS);
  const timer = timers.set(restMs > 0 ? setRest : callback, wholeMs);
  let cancel: CancelTimer = () => timers.clear(timer);
  return () => cancel();
}

/** What a guarded clock does where its own fails. */
export interface ClockGuard {
  /** The clock whose time and timers stand in. */
  readonly fallback: Clock;
  /** Receives what the clock threw; must not throw. */
  readonly report: (error: unknown) => void;
}

/**
 * Returns a clock of the user's that never throws, because it is read where an error would replace the outcome of an attempt.
 * What it throws is reported. Time does not advance while it returns no instant, and a timer that it cannot set is the fallback's.
 * A timer calls back once, and not after it was cancelled, whatever the clock does.
 */
export function guardClock(clock: Clock, guard: ClockGuard): Clock {
  const now = guardReading(() => clock.now(), guard);
  const wallNow = clock.wallNow && guardReading(() => clock.wallNow?.(), { ...guard, fallback: { now } });
  return { now, wallNow, setTimer: (callback, delayMs) => setGuarded(clock, guard, callback, delayMs) };
}

interface ReadingGuard extends Pick<ClockGuard, 'report'> {
  readonly fallback: Pick<Clock, 'now'>;
}

function guardReading(read: () => number | undefined, { fallback, report }: ReadingGuard): () => number {
  let latest: number | undefined;
  return () => {
    try {
      const instant = read();
      if (Number.isFinite(instant)) latest = instant;
    } catch (error) {
      report(error);
    }
    latest ??= fallback.now();
    return latest;
  };
}

function setGuarded(
  clock: Clock,
  { fallback, report }: ClockGuard,
  callback: () => void,
  delayMs: number,
): CancelTimer {
  let isOver = false;
  const fire = (): void => {
    if (isOver) return;
    isOver = true;
    callback();
  };
  let cancel: unknown;
  try {
    cancel = clock.setTimer(fire, delayMs);
    if (typeof cancel !== 'function') report(noCancel(cancel));
  } catch (error) {
    report(error);
    if (!isOver) cancel = fallback.setTimer(fire, delayMs);
  }
  return () => {
    if (isOver) return;
    isOver = true;
    try {
      if (typeof cancel === 'function') cancel();
    } catch (error) {
      report(error);
    }
  };
}

function noCancel(value: unknown): InvalidOptionsError {
  const message = 'must return a function that cancels the timer';
  const cure = 'createClock(…) of @retry/core/clock does.';
  return new InvalidOptionsError([{ path: 'clock.setTimer()', value, message, cure }], 'clock');
}

import type { CancelTimer, Clock } from './clock.ts';
import type { Duration } from './duration.ts';
import { readOptions } from './fields/read-options.ts';

/** A clock that only moves by `advance`, for tests: hours of retries pass without waiting. */
export interface VirtualClock extends Clock {
  /**
   * Moves the clock by a duration. The timers due by then fire in order, each at its own instant; `settle` is awaited
   * before each of them. A call while another one is under way begins where that one ends.
   *
   * @throws {InvalidOptionsError} (a rejection) when `duration` is not a finite duration ≥ 0
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /** Returns the number of timers that are set: 0 after everything has been stopped. */
  readonly pendingTimers: () => number;
}

/** Options of a virtual clock. */
export interface VirtualClockOptions {
  /** Resolves when the promise callbacks that a timer caused have run; core knows no event loop. */
  readonly settle: () => Promise<void>;
  /** Epoch milliseconds. @default 0 */
  readonly startAt?: number | undefined;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Creates a virtual clock, for tests.
 *
 * @throws {InvalidOptionsError} when an option is wrong
 */
export function createVirtualClock(options: VirtualClockOptions): VirtualClock {
  const { settle, startAt } = readClockOptions(options);
  const timers = new Set<Timer>();
  let now = startAt;

  const setTimer = (callback: () => void, delayMs: number): CancelTimer => {
    checkTimer(callback, delayMs);
    const timer = { at: now + Math.max(delayMs, 0), callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const fireDue = (until: number): boolean => {
    const next = earliest(timers);
    if (next === undefined || next.at > until) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.callback();
    return true;
  };
  const move = oneAfterAnother(async (byMs: number) => {
    const until = now + byMs;
    do await settle();
    while (fireDue(until));
    now = until;
  });
  const advance = async (duration: Duration): Promise<void> => move(readAdvance(duration));
  return { now: () => now, setTimer, advance, pendingTimers: () => timers.size };
}

/** Returns the function so that a call waits for the one before; without one it begins in the same turn. */
function oneAfterAnother(move: (byMs: number) => Promise<void>): (byMs: number) => Promise<void> {
  let latest: Promise<void> | undefined;
  return async (byMs) => {
    const moving = latest === undefined ? move(byMs) : latest.catch(() => {}).then(() => move(byMs));
    latest = moving;
    try {
      await moving;
    } finally {
      if (latest === moving) latest = undefined;
    }
  };
}

function readClockOptions(
  options: VirtualClockOptions,
): Pick<VirtualClockOptions, 'settle'> & { readonly startAt: number } {
  return readOptions(options, { subject: 'clock', keys: ['settle', 'startAt'] }, (fields) => {
    if (typeof fields.value('settle') !== 'function') {
      fields.fail('settle', 'must be a function', 'It lets what a timer set off come to rest.');
    }
    const startAt = fields.number('startAt', 0, {
      accepts: Number.isFinite,
      message: 'must be a finite number of epoch milliseconds',
      cure: 'Leave it out for 0.',
    });
    return { settle: fields.value('settle') as VirtualClockOptions['settle'], startAt }; // just checked
  });
}

function checkTimer(callback: unknown, delayMs: unknown): void {
  // Hours of a worker are a million timers, and each of them is read so.
  if (typeof callback === 'function' && typeof delayMs === 'number' && A_DELAY.accepts(delayMs)) return;
  readOptions({ callback, delayMs }, { subject: 'setTimer', keys: ['callback', 'delayMs'] }, (fields) => {
    if (typeof callback !== 'function') fields.fail('callback', 'must be a function', 'It is called once.');
    fields.number('delayMs', undefined, A_DELAY);
  });
}

const A_DELAY = {
  accepts: (ms: number): boolean => !Number.isNaN(ms),
  message: 'must be a number of milliseconds',
  cure: 'Use advance for text like 2s.',
};

function readAdvance(duration: unknown): number {
  return readOptions({ duration }, { subject: 'advance', keys: ['duration'] }, (fields) =>
    fields.duration('duration', undefined, { finite: true }),
  );
}

/** Returns the timer that is due first; of timers due at the same instant, the one that was set first. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (first === undefined || timer.at < first.at) first = timer;
  }
  return first;
}

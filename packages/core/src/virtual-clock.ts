import type { CancelTimer, Clock } from './clock.ts';
import type { Duration } from './duration.ts';
import { parseDuration } from './duration.ts';

/** A clock that stands still until it is told to move: hours of retries pass without waiting. */
export interface VirtualClock extends Clock {
  /**
   * Moves on by a duration. Every timer due by then fires in order, each at its own instant, and what it set
   * off has settled before the next one.
   */
  readonly advance: (duration: Duration) => Promise<void>;
  /** How many timers wait: 0 once everything has been stopped. */
  readonly pendingTimers: () => number;
}

/** What a virtual clock starts with. */
export interface VirtualClockOptions {
  /** Lets what a timer set off come to rest; the runtime's business, as core has no event loop. */
  readonly settle: () => Promise<void>;
  /** @default 0 */
  readonly startAt?: number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A virtual clock, for tests. */
export function createVirtualClock({ settle, startAt = 0 }: VirtualClockOptions): VirtualClock {
  const timers = new Set<Timer>();
  let now = startAt;

  const setTimer = (callback: () => void, delayMs: number): CancelTimer => {
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
  const advance = async (duration: Duration): Promise<void> => {
    const until = now + (parseDuration(duration) ?? 0);
    do await settle();
    while (fireDue(until));
    now = until;
  };
  return { now: () => now, setTimer, advance, pendingTimers: () => timers.size };
}

/** The timer due first; of several due together the one that was set first. */
function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) {
    if (first === undefined || timer.at < first.at) first = timer;
  }
  return first;
}

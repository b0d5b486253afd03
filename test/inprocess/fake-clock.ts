import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@retry/inprocess';

interface Timer {
  readonly firesAt: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test advances it. It starts at 1 000 000. */
export interface FakeClock extends Clock {
  /** The delay of every timer that was set, in order. */
  readonly delays: readonly number[];
  /** The number of pending timers. */
  readonly pending: () => number;
  /** Advances the time; each timer fires at its own instant, and what it starts runs before the next. */
  readonly advance: (ms: number) => Promise<void>;
  /** Advances the time like a blocked event loop: all due timers fire late, at the end. */
  readonly block: (ms: number) => Promise<void>;
}

export function createFakeClock(): FakeClock {
  const delays: number[] = [];
  const timers = new Set<Timer>();
  let nowAt = 1_000_000;

  const fireDue = async (untilAt: number): Promise<void> => {
    await setImmediate();
    for (let timer = earliest(timers); timer && timer.firesAt <= untilAt; timer = earliest(timers)) {
      timers.delete(timer);
      nowAt = Math.max(nowAt, timer.firesAt);
      timer.callback();
      await setImmediate();
    }
  };

  return {
    delays,
    now: () => nowAt,
    pending: () => timers.size,
    setTimer: (callback, delayMs) => {
      const timer = { firesAt: nowAt + delayMs, callback };
      delays.push(delayMs);
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      const untilAt = nowAt + ms;
      await fireDue(untilAt);
      nowAt = untilAt;
    },
    block: async (ms) => {
      await setImmediate();
      nowAt += ms;
      await fireDue(nowAt);
    },
  };
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let first: Timer | undefined;
  for (const timer of timers) if (first === undefined || timer.firesAt < first.firesAt) first = timer;
  return first;
}

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '@retry/inprocess';

interface Timer {
  readonly firesAt: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test moves it. It starts at 1 000 000. */
export interface FakeClock extends Clock {
  /** Every delay that a timer was set for, in order. */
  readonly delays: readonly number[];
  /** How many timers are set now. */
  readonly pending: () => number;
  /** Moves time on; timers fire on the way, each at its time, and what they start runs before the next. */
  readonly advance: (ms: number) => Promise<void>;
  /** Moves time on as a blocked event loop does: what is due fires late, all at once, at the end. */
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

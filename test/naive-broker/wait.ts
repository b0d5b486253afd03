import type { Clock } from '@retry/core';
import type { WaitRequest } from '@retry/core/broker';
import type { Storage } from './storage.ts';

/** A caller that waits for work, or for a result. */
export interface Wait {
  readonly check: () => void;
  readonly end: () => void;
}

/** Creates the wait; a set holds the callers that wait for the same. */
export function createWait(clock: Clock, { runs, holds, slotsTaken, nextDueAt }: Storage) {
  function hasWork(lanes: readonly string[], now: number): boolean {
    return [...runs.values()].some(({ run, takesSlot, laneLimit }) => {
      if (!lanes.includes(run.lane) || holds.heldUntil(run.lane, now) > now) return false;
      if (run.state === 'scheduled') return (run.runAt ?? 0) <= now;
      const { concurrency } = run;
      if (run.state !== 'submitted') return false;
      if (laneLimit !== undefined && slotsTaken(run.lane) >= laneLimit) return false;
      return takesSlot || concurrency?.whenFull !== 'wait' || slotsTaken(concurrency.key) < concurrency.limit;
    });
  }

  /** Waits until the lanes have work, the timeout or the abort; without lanes, until it is ended from outside. */
  function wait(set: Set<Wait>, { lanes = [], timeoutMs, signal }: WaitRequest): Promise<void> {
    if (timeoutMs <= 0 || signal?.aborted || hasWork(lanes, clock.now())) return Promise.resolve();
    return new Promise((resolve) => {
      const timeoutAt = clock.now() + timeoutMs;
      let cancelTimer = (): void => {};
      const end = (): void => {
        cancelTimer();
        set.delete(entry);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const check = (): void => {
        cancelTimer();
        const now = clock.now();
        if (now >= timeoutAt || hasWork(lanes, now)) end();
        else
          cancelTimer = clock.setTimer(check, Math.min(timeoutAt, nextDueAt(lanes, now) ?? Infinity) - now);
      };
      const entry = { check, end };
      set.add(entry);
      signal?.addEventListener('abort', end);
      check();
    });
  }

  return wait;
}

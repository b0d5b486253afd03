import type { Clock } from '@retry/core';
import type { WaitRequest } from '@retry/core/broker';
import { startWait } from '@retry/core/broker/kit';
import type { Storage } from './storage.ts';

/** A caller that waits for work, or for a result. */
export interface Wait {
  readonly forResults: boolean;
  readonly check: () => void;
  readonly end: () => void;
}

/** Creates the wait, until the lanes have work, the timeout or the abort; without lanes, until it is ended from outside. */
export function createWait(clock: Clock, waits: Set<Wait>, storage: Storage) {
  const { runs, laneHeldUntil, slotsTaken, workAt } = storage;

  function hasWork(lanes: readonly string[], now: number): boolean {
    return [...runs.values()].some(({ run, waitsFor }) => {
      if (!lanes.includes(run.lane) || laneHeldUntil(run.lane, now) > now) return false;
      if (run.state === 'scheduled') return (run.runAt ?? 0) <= now;
      if (run.state !== 'submitted') return false;
      return waitsFor === undefined || slotsTaken(waitsFor.key) < waitsFor.limit;
    });
  }

  return ({ lanes, ...options }: WaitRequest): Promise<void> =>
    new Promise((resolve) => {
      if (options.timeoutMs <= 0 || options.signal?.aborted) return resolve();
      let cancelDue = (): void => {};
      const end = startWait(clock, options, () => {
        cancelDue();
        waits.delete(wait);
        resolve();
      });
      const check = (): void => {
        cancelDue();
        const now = clock.now();
        const at = workAt(lanes ?? [], now);
        if (hasWork(lanes ?? [], now)) end();
        else if (at < Infinity) cancelDue = clock.setTimer(check, at - now);
      };
      const wait = { forResults: lanes === undefined, check, end };
      waits.add(wait);
      check();
    });
}

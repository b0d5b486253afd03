import type { Run } from '@retry/core/broker';
import { chargedAttempts } from '@retry/core/broker/kit';

/** The number of the run's current attempt: charged attempts so far and the running one; counted from 1. */
export function attemptOf(run: Run): number {
  return chargedAttempts(run) + 1;
}

/** How long after it was due the claimed run was started, in ms of the broker's clock; 0 when it was not late. */
export function latenessOf({ startedAt = 0, runAt = startedAt }: Run): number {
  return Math.max(startedAt - runAt, 0);
}

/** How long before it was due the broker returned the run, in ms of its clock; 0 when it was not early. */
export function earlyMs({ runAt = 0, startedAt = 0 }: Run): number {
  // Less than 1 ms comes from rounding to whole milliseconds.
  return runAt - startedAt > 1 ? runAt - startedAt : 0;
}

/**
 * When the total time of a started run began, by the broker's clock: at its first start, which may have been elsewhere, or at its
 * latest redrive. The first attempt, also after a redrive, has all of it, however long the run has waited in its lane or in a worker.
 *
 * @param waitedMs - how long the run has waited in this worker until its handler was called, or has up to now
 */
export function totalStartAt(run: Run<'started'>, now: number, waitedMs: number = 0): number {
  const { epoch, resetEpoch, resetAt, startedAt = now, firstStartedAt = startedAt } = run;
  const isReset = resetAt !== undefined && firstStartedAt <= resetAt;
  if (isReset) return epoch - resetEpoch === 1 ? startedAt + waitedMs : resetAt;
  return firstStartedAt < startedAt ? firstStartedAt : startedAt + waitedMs;
}

/** Whether a run has not been started before, here or elsewhere, or not since it was redriven. */
export function isFirstStart(run: Run<'started'>): boolean {
  const { epoch, resetEpoch, resetAt, firstStartedAt, startedAt } = run;
  return firstStartedAt === startedAt || (resetAt !== undefined && epoch - resetEpoch === 1);
}

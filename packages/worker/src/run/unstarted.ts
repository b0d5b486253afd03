import type { ClaimedRun } from '@retry/core/broker';
import type { Outcome } from '../settle/outcome.ts';
import { earlyMs } from '../settle/run-facts.ts';
import type { RunTask } from '../task/run-policy.ts';

/** Returns the outcome of a claimed run whose handler is not to be called; `undefined` when it is. */
export function unstartedOutcome(
  { run, isOverLimit }: ClaimedRun,
  { task, unreadable }: RunTask,
): Outcome | undefined {
  if (unreadable !== undefined) return { type: 'unreadable', error: unreadable };
  if (isOverLimit) return { type: 'limited' };
  if (task.minRequeueMs !== undefined && earlyMs(run) > 0) return { type: 'early' };
  return undefined;
}

import type { Run } from '@retry/core/broker';
import { StalledError } from '../errors.ts';
import type { Outcome } from '../settle/outcome.ts';
import type { AnyTask } from '../task/task.ts';

/**
 * With how many runs, itself included, a run may be leased by one worker: half of those that it stalled with last, so that
 * whichever of them ends its process is found in log₂(n) crashes. `Infinity` when its latest attempt did not stall in
 * company.
 */
export function companyLimit({ errors }: Run): number {
  const stalledWith = errors.at(-1)?.stalledWith;
  return stalledWith === undefined ? Infinity : Math.max(1, Math.floor((stalledWith + 1) / 2));
}

/**
 * What the silence of its worker is for a run.
 *
 * 1. Of runs that stalled together none is charged: which one ended the worker is not known. Each notes the others.
 * 2. A run that may have company notes at most as much as it was allowed: with each stall the limit at least halves.
 * 3. A run that had to run alone is charged for its stall, and goes on running alone until an attempt ends otherwise.
 *
 * @param together - how many runs were found stalled at a time, this one included; ≥ 1
 */
export function stallOf(task: AnyTask, run: Run<'started'>, together: number): Outcome {
  const error = new StalledError();
  const limit = companyLimit(run);
  const isSuspect = limit < Infinity;
  if (task.onStall !== 'retry' || (!isSuspect && together === 1)) return { type: 'stalled', error };
  return {
    type: 'stalled',
    error,
    isShared: limit > 1,
    stalledWith: Math.min(together, limit) - 1,
  };
}

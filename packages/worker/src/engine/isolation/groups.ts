import type { Run } from '@retry/core/broker';
import { StalledError } from '../../errors.ts';
import type { Execution } from '../../run/execution.ts';
import type { Outcome } from '../../settle/outcome.ts';
import type { AnyTask } from '../../task/task.ts';

/**
 * Returns how many runs, this one included, may be leased together with this run: half of those that it stalled with last, so
 * that the one that ends its process is found within log₂(n) crashes. `Infinity` when its latest attempt did not stall
 * together with others. Example: 40 runs stall together → groups of 20 → 10 → 5 → 2 → 1.
 */
function groupLimit({ errors }: Run): number {
  const stalledWith = errors.at(-1)?.stalledWith;
  return stalledWith === undefined ? Infinity : Math.max(1, Math.floor((stalledWith + 1) / 2));
}

/**
 * Returns the outcome of a run whose lease has expired.
 *
 * 1. Of runs that stalled together none is charged, as it is not known which one ended the worker. Each records how many
 *    others there were.
 * 2. A run with a group limit records at most that many: with each stall the limit at least halves.
 * 3. A run that had to run alone is charged for its stall, and keeps running alone until an attempt ends in another way.
 *
 * @param together - how many runs were found stalled at the same time, this one included; ≥ 1
 */
export function stallOf(task: AnyTask, run: Run<'started'>, together: number): Outcome {
  const error = new StalledError();
  const limit = groupLimit(run);
  const isSuspect = limit < Infinity;
  if (task.onStall !== 'retry' || (!isSuspect && together === 1)) return { type: 'stalled', error };
  return {
    type: 'stalled',
    error,
    isShared: limit > 1,
    stalledWith: Math.min(together, limit) - 1,
  };
}

/**
 * Returns the executions that have to run as a small group because they stalled together with others; the smallest limit
 * among them counts. `undefined` when there are none, or all `capacity` runs may run together anyway.
 */
export function groupToIsolate(
  executions: readonly Execution[],
  capacity: number,
): readonly Execution[] | undefined {
  const suspects = executions
    .map((execution) => ({ execution, limit: groupLimit(execution.run) }))
    .filter(({ limit }) => limit < capacity)
    .sort((a, b) => a.limit - b.limit);
  const [first] = suspects;
  return first && suspects.slice(0, first.limit).map(({ execution }) => execution);
}

import type { Run } from '@retry/core/broker';
import { StalledError } from '../../errors.ts';
import type { Execution } from '../../run/execution.ts';
import type { Outcome } from '../../settle/outcome.ts';
import type { AnyTask } from '../../task/task.ts';

/** How long a suspect that has to wait is away at least, in ms. */
const LEAST_WAIT_MS = 500;

/**
 * A run that stalls together with others may have ended their process, or may only have been beside the run that did. A suspect is one to
 * which that has happened twice in a row: the first time says little, as when a machine is switched off. Returns how many suspects, this one included, a worker may have at the same time with it: half
 * of those that it stalled with last, so that the one that ends its process is found within log₂(n) crashes; `Infinity` for a run that
 * is no suspect. Example: 40 suspects stall together → groups of 20 → 10 → 5 → 2 → 1.
 */
function groupLimit({ errors }: Pick<Run, 'errors'>): number {
  const before = errors.at(-2)?.stalledWith;
  const latest = errors.at(-1)?.stalledWith;
  return before === undefined || latest === undefined ? Infinity : Math.max(1, Math.floor((latest + 1) / 2));
}

/** Runs whose leases were found expired in one pass. */
export interface StalledTogether {
  /** How many there are. */
  readonly runs: number;
  /** How many of them are suspects. */
  readonly suspects: number;
}

/**
 * Returns the outcome of a run whose lease has expired.
 *
 * 1. Of runs that stalled together none is charged, as it is not known which one ended the worker. Each records how many
 *    others there were.
 * 2. A suspect counts the other suspects only, and at most as many as may be with it: with each stall that limit at least halves.
 * 3. A suspect that had to be the only one is charged for its stall, and remains a suspect until an attempt ends in another way.
 */
export function stallOf(task: AnyTask, run: Run<'started'>, together: StalledTogether): Outcome {
  const error = new StalledError();
  const limit = groupLimit(run);
  const isSuspect = limit < Infinity;
  if (task.onStall !== 'retry' || (!isSuspect && together.runs === 1)) return { type: 'stalled', error };
  const most = isSuspect ? together.suspects : together.runs;
  return { type: 'stalled', error, isShared: limit > 1, stalledWith: Math.min(most, limit) - 1 };
}

/** A claimed run that goes back to its lane because other suspects are here. */
export interface Waiting {
  readonly execution: Execution;
  /** How long it does not come back; 0 for one that may be here once the others are away. */
  readonly delayMs: number;
}

/**
 * Returns the suspects that have to be given back, among the claimed ones. When any has to be, all of them are, so that none of them is
 * here, waiting, while another one may end the process; those that may be here come back first.
 *
 * A suspect waits about as long as the ones that are here have been running, so it is given back a few times, however long they take.
 *
 * @param present - the suspects that the worker had before
 * @param limits - how long they wait, at most, and what time it is
 */
export function suspectsToGiveBack(
  claimed: readonly Execution[],
  present: readonly Execution[],
  { now, maxWaitMs }: { readonly now: number; readonly maxWaitMs: number },
): readonly Waiting[] {
  const suspects = claimed.filter(isSuspect).sort((a, b) => groupLimit(a.run) - groupLimit(b.run));
  const group = [...present];
  let limit = Math.min(...present.map(({ run }) => groupLimit(run)));
  const waiting: Execution[] = [];
  for (const execution of suspects) {
    const most = Math.min(limit, groupLimit(execution.run));
    if (group.length >= most) waiting.push(execution);
    else {
      group.push(execution);
      limit = most;
    }
  }
  if (waiting.length === 0) return [];
  const since = Math.min(now, ...present.map(({ claimedAt }) => claimedAt));
  const delayMs = Math.min(Math.max(now - since, LEAST_WAIT_MS), maxWaitMs);
  const fitting = suspects.filter((execution) => group.includes(execution));
  return [
    ...fitting.map((execution) => ({ execution, delayMs: 0 })),
    ...waiting.map((execution) => ({ execution, delayMs })),
  ];
}

/** Whether the run of the execution may be one that ends its process. */
export function isSuspect({ run }: Pick<Execution, 'run'>): boolean {
  return groupLimit(run) < Infinity;
}

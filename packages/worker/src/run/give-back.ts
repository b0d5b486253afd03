import { RELEASED } from '../settle/outcome.ts';
import type { Execution } from './execution.ts';

/** Gives runs back, uncharged. */
export function giveBackAll(executions: readonly Execution[]): void {
  for (const execution of latestFirst(executions)) execution.interrupt(RELEASED, undefined);
}

/** Gives back, uncharged, the runs of a lane that were claimed in advance: it is on hold, or its limit is reached. */
export function giveBackLane(executions: Iterable<Execution>, lane: string): void {
  giveBackAll([...executions].filter(({ hasStarted, task }) => !hasStarted && task.lane === lane));
}

/** The last ones go back first, as those of a later exchange come before them: see `inOrderOfClaims`. */
export function latestFirst(executions: Iterable<Execution>): readonly Execution[] {
  return [...executions].reverse();
}

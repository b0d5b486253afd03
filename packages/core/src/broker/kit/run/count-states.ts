import type { RunState } from '../../../lifecycle/run-state.ts';
import { byEnd } from '../../../lifecycle/run-state.ts';
import type { Audit } from '../../broker.ts';
import type { Run } from '../../run.ts';

/** Counts all runs that a broker keeps by their states. */
export function countStates(runs: Iterable<Run>): Omit<Audit, 'created' | 'forgotten' | 'unbalanced'> {
  const counts = new Map<RunState, number>();
  for (const { state } of runs) counts.set(state, (counts.get(state) ?? 0) + 1);
  const countOf = (state: RunState): number => counts.get(state) ?? 0;
  return {
    submitted: countOf('submitted'),
    scheduled: countOf('scheduled'),
    started: countOf('started'),
    ended: byEnd(countOf),
  };
}

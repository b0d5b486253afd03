import type { RunState } from '../../../lifecycle/run-state.ts';
import { isEnd } from '../../../lifecycle/run-state.ts';
import type { Change, ChangeAnswer, SeenRun } from '../../change.ts';
import type { Run } from '../../run.ts';
import { copyRun, withIdentity } from '../copy-run.ts';

/** Returns how a broker answers a change, given the run that it keeps and what it recognises that by. Pure: the rule of every broker. */
export function answerChange(
  kept: Pick<SeenRun, 'run' | 'seen'> | undefined,
  { seen, next }: Change,
): Exclude<ChangeAnswer, 'locked'> {
  if (kept === undefined) return 'gone';
  return kept.seen === seen && isChange(kept.run.state, next) ? 'done' : 'changed';
}

/**
 * Returns whether a run of this state can be changed to that. One that a worker holds can only get a cancel request, and one that has
 * ended can be forgotten or wait again, but is not ended again.
 */
export function isChange(state: RunState, next: Change['next']): boolean {
  if (next === 'forget') return isEnd(state);
  if (next.state === 'started') return state === 'started';
  return state !== 'started' && !(isEnd(state) && isEnd(next.state));
}

/** Returns what a change makes of a run. What it was submitted with stays; the caller may not have all of it. */
export function changedRun(run: Run, next: Run): Run {
  const changed = withIdentity(copyRun(next), run);
  changed.isCancelRequested = undefined;
  changed.errorGroup = undefined;
  return changed;
}

import { isEnd } from '../../../lifecycle/run-state.ts';
import type { CancelAnswer } from '../../acts.ts';
import type { SeenRun } from '../../change.ts';
import type { Run } from '../../run.ts';
import type { Locked } from '../../submission.ts';
import { checkIds, readCall } from '../check/check-findings.ts';
import { copyRun, transitionRun } from '../copy-run.ts';
import type { ChangeableBroker, Decided } from './change-runs.ts';
import { changeRuns } from './change-runs.ts';

/**
 * Cancels waiting runs, and leaves a cancel request for the workers of started ones. Of an id that is given twice, the second has
 * ended.
 *
 * @throws {InvalidOptionsError} for an id that no run can have
 */
export async function cancelRuns(
  broker: ChangeableBroker,
  ids: readonly string[],
): Promise<readonly (CancelAnswer | Locked)[]> {
  readCall(checkIds, ids);
  return changeRuns(
    broker,
    ids.map((id) => ({ id })),
    decideCancel,
  );
}

/** A waiting run that cannot be read keeps its place: the next claim makes a dead letter of it. */
function decideCancel({ run, isUnreadable }: SeenRun, _: object, at: number): Decided<CancelAnswer> {
  if (isEnd(run.state)) return { answer: 'ended' };
  if (run.state === 'started' || isUnreadable === true) return requestCancel(run);
  const moved = transitionRun(run, { type: 'cancel', at });
  return moved.type === 'moved' ? { answer: 'cancelled', next: moved.run } : { answer: 'ended' };
}

/** Leaves a cancel request for the worker of a started run. */
export function requestCancel(run: Run): Decided<'requested'> {
  if (run.state !== 'started' || run.isCancelRequested === true) return { answer: 'requested' };
  const next = copyRun(run);
  next.isCancelRequested = true;
  return { answer: 'requested', next };
}

import { isEnd } from '../../../lifecycle/run-state.ts';
import type { EndAnswer, EndRequest } from '../../acts.ts';
import type { SeenRun } from '../../change.ts';
import type { Locked } from '../../locked.ts';
import { readCall } from '../check/check-findings.ts';
import { transitionRun } from '../copy-run.ts';
import { requestCancel } from './cancel-runs.ts';
import type { ChangeableBroker, Decided } from './change-runs.ts';
import { changeRuns } from './change-runs.ts';
import { checkEnds } from './check-acts.ts';
import { withOutcome } from './with-outcome.ts';

/**
 * Ends waiting runs as an operator decides, and leaves a cancel request for the workers of started ones. A failed one gets the error
 * as its latest and is a dead letter. Of an id that is given twice, the first request holds.
 *
 * @throws {InvalidOptionsError} for what no broker could keep; then nothing is ended
 */
export async function endRuns(
  broker: ChangeableBroker,
  requests: readonly EndRequest[],
): Promise<readonly (EndAnswer | Locked)[]> {
  readCall(checkEnds, requests);
  return changeRuns(broker, requests, decideEnd);
}

function decideEnd({ run, isUnreadable }: SeenRun, request: EndRequest, at: number): Decided<EndAnswer> {
  if (isEnd(run.state)) return { answer: 'ended' };
  if (run.state === 'started' || isUnreadable === true) return requestCancel(run);
  const moved = transitionRun(run, { type: 'end', at, as: request.as });
  if (moved.type === 'rejected') return { answer: 'ended' };
  const next = withOutcome(moved.run, request, at);
  return { answer: 'done', next, group: request.as === 'failed' ? request.group : undefined };
}

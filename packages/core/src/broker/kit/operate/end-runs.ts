import { isEnd } from '../../../lifecycle/run-state.ts';
import type { EndAnswer, EndRequest, OperatorError } from '../../acts.ts';
import type { SeenRun } from '../../change.ts';
import type { AttemptError, Run } from '../../run.ts';
import type { Locked } from '../../submission.ts';
import { findErrorProblems, findGroupProblems } from '../check/check-error.ts';
import { check, type Findings, findInEach, findTextProblem, readCall } from '../check/check-findings.ts';
import { copyRun, transitionRun } from '../copy-run.ts';
import { addError } from '../run/run-errors.ts';
import { requestCancel } from './cancel-runs.ts';
import type { ChangeableBroker, Decided } from './change-runs.ts';
import { changeRuns } from './change-runs.ts';

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

/**
 * Returns a run that an operator has just ended, with its result or error.
 *
 * @param ended - the run after the event `end`
 * @param at - when it ended, in epoch milliseconds
 */
function withOutcome(ended: Run, request: EndRequest, at: number): Run {
  const run = copyRun(ended);
  run.result = request.as === 'completed' ? request.result : undefined;
  run.isDisposable = undefined;
  if (request.as === 'completed') return run;
  const error: AttemptError = { epoch: ended.epoch, at, ...endedBy(request.error) };
  run.errors = addError(ended.errors, error);
  return run;
}

/** Returns an operator's error as it is stored, but for what the server adds: its facts, and that no policy was asked. */
function endedBy(given: OperatorError): Omit<AttemptError, 'epoch' | 'at'> {
  const { name, message, stack, code, causeCode, status, retryAfterMs, unrecorded } = given;
  return {
    name,
    message,
    ...(stack !== undefined && { stack }),
    ...(code !== undefined && { code }),
    ...(causeCode !== undefined && { causeCode }),
    ...(status !== undefined && { status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(unrecorded !== undefined && { unrecorded }),
    reason: 'ended',
  };
}

/** Checks the requests of `end`. */
function checkEnds(requests: readonly EndRequest[]): void {
  check('end', (findings) => {
    findInEach(requests, findings.problems, (request, path) => {
      findings.name(() => `${path}.id`, request.id);
      findOutcomeProblems(request, path, findings);
    });
  });
}

function findOutcomeProblems(request: EndRequest, path: string, findings: Findings): void {
  const { as } = request;
  const { problems } = findings;
  if (as === 'completed') {
    findTextProblem(`${path}.result`, request.result, { problems });
    return;
  }
  if (as !== 'failed') {
    const cure = "Use 'completed' with a result, or 'failed' with an error.";
    problems.push({ path: `${path}.as`, value: as, message: "must be 'completed' or 'failed'", cure });
    return;
  }
  if (request.group !== undefined) findGroupProblems(request.group, `${path}.group`, findings);
  findErrorProblems(request.error, `${path}.error`, findings);
}

import type { EndRequest, OperatorError } from '../../acts.ts';
import type { AttemptError, Run } from '../../run.ts';
import { copyRun } from '../copy-run.ts';
import { addError } from '../run/run-errors.ts';

/**
 * Returns a run that an operator has just ended, with its result or error.
 *
 * @param ended - the run after the event `end`
 * @param at - when it ended, in epoch milliseconds
 */
export function withOutcome(ended: Run, request: EndRequest, at: number): Run {
  const run = copyRun(ended);
  run.result = request.as === 'completed' ? request.result : undefined;
  run.isDisposable = undefined;
  if (request.as === 'completed') return run;
  const error: AttemptError = { epoch: ended.epoch, at, ...endedBy(request.error) };
  run.errors = addError(ended.errors, error);
  return run;
}

/** Returns an operator's error as it is stored, but for what the server adds: its facts, and that no policy was asked. */
export function endedBy(given: OperatorError): Omit<AttemptError, 'epoch' | 'at'> {
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

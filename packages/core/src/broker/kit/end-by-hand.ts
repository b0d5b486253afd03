import type { EndRequest } from '../operation.ts';
import type { Run } from '../run.ts';
import { addError } from './run-errors.ts';

/**
 * Returns a run that an operator has just ended, with its result or error.
 *
 * @param ended - the run after the event `end`
 * @param at - when it ended, in epoch milliseconds
 */
export function withOutcome(ended: Run, request: EndRequest, at: number): Run {
  if (request.as === 'completed') return { ...ended, result: request.result, isDisposable: undefined };
  const { name, message, stack } = request.error;
  const error = { epoch: ended.epoch, at, name, message, ...(stack !== undefined && { stack }) };
  return { ...ended, result: undefined, errors: addError(ended.errors, error), isDisposable: undefined };
}

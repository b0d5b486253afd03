import type { Decision } from '@retry/core';
import type { AttemptError, Run } from '@retry/core/broker';
import type { AnyTask } from '../task/task.ts';
import { attemptError } from './attempt-error.ts';

/** An attempt that failed, and what was decided about it. */
interface Failure {
  readonly error: unknown;
  readonly at: number;
  readonly decision: Decision['type'];
}

/**
 * The run with the error of its attempt. The stack of an error is kept where somebody will look for it, with the
 * attempt that ends the run: it is dear to write out, and dearer to carry from attempt to attempt.
 */
export function failedRun(
  task: AnyTask,
  run: Run<'started'>,
  { error, at, decision }: Failure,
): Run<'started'> {
  const stack = decision === 'fail' ? 'kept' : 'dropped';
  const errors = [...run.errors.map(withoutStack), attemptError(error, { epoch: run.epoch, at, stack })];
  // The task may have changed its mind since the attempt before: what it says now holds.
  const { isDisposable: _, ...kept } = run;
  return {
    ...kept,
    errors: errors.slice(-MOST_ERRORS),
    ...(task.deadLetter === 'none' && { isDisposable: true }),
  };
}

/** A redriven run may have the stack of an earlier end: the latest says enough. */
function withoutStack(error: AttemptError): AttemptError {
  if (error.stack === undefined) return error;
  const { stack: _, ...kept } = error;
  return kept;
}

/** A run that fails for ever must not grow for ever. */
const MOST_ERRORS = 20;

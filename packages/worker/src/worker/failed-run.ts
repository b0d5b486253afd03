import type { AttemptError, Run } from '@retry/core/broker';
import type { AnyTask } from '../task/task.ts';
import { attemptError } from './attempt-error.ts';

/** An attempt that failed. */
interface Failure {
  readonly error: unknown;
  readonly at: number;
  /** The next attempt follows at once: nobody has the time to look for a stack. */
  readonly isFollowed: boolean;
}

/**
 * The run with the error of its attempt. The stack of an error is kept while somebody can look for it: when the run ends
 * or has to wait. Where the next attempt follows at once it would cost more than the attempt does.
 */
export function failedRun(
  task: AnyTask,
  run: Run<'started'>,
  { error, at, isFollowed }: Failure,
): Run<'started'> {
  const stack = isFollowed ? 'dropped' : 'kept';
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

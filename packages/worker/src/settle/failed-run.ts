import type { AttemptError, Run } from '@retry/core/broker';
import type { Redact } from './stored-error.ts';
import { storedText } from './stored-error.ts';

/** An attempt that failed. */
interface Failure {
  readonly error: unknown;
  readonly at: number;
  /** The next attempt follows immediately: there is no time to look for a stack. */
  readonly isFollowed: boolean;
  readonly redact: Redact | undefined;
}

/**
 * The run with the error of its attempt. The stack of an error is kept while there is time to look for it: when the run ends
 * or has to wait. Where the next attempt follows immediately it would cost more than the attempt does.
 */
export function failedRun(run: Run<'started'>, { error, at, isFollowed, redact }: Failure): Run<'started'> {
  const text = storedText(error, redact, isFollowed ? 'dropped' : 'kept');
  const errors = [...run.errors.map(withoutStack), { epoch: run.epoch, at, ...text }];
  return { ...run, errors: errors.slice(-MAX_ERRORS) };
}

/** A redriven run may have the stack of an earlier end: the latest says enough. */
function withoutStack(error: AttemptError): AttemptError {
  if (error.stack === undefined) return error;
  const { stack: _, ...kept } = error;
  return kept;
}

/** A run that fails for ever must not grow for ever. */
const MAX_ERRORS = 20;

import type { AttemptError } from '../run.ts';

/** How many errors a run keeps, the latest: one that keeps failing must not grow without limit. */
export const MAX_ERRORS = 20;

/** Returns the errors of a run with one more: the latest 20, of which only the last has its stack. */
export function addError(errors: readonly AttemptError[], error: AttemptError): readonly AttemptError[] {
  return [...errors.map(withoutStack), error].slice(-MAX_ERRORS);
}

function withoutStack(error: AttemptError): AttemptError {
  if (error.stack === undefined) return error;
  const { stack: _, ...kept } = error;
  return kept;
}

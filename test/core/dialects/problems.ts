import { InvalidOptionsError } from '@retry/core';
import type { DialectWarning } from '@retry/core/dialects';

/** Returns the paths of all problems that the call reports, sorted. */
export function problemsOf(call: () => unknown): readonly string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path).sort();
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Returns each warning as `CODE path`. */
export function codesOf(warnings: readonly DialectWarning[]): readonly string[] {
  return warnings.map(({ code, path }) => `${code} ${path}`);
}

/** Returns the message of the error that the call throws. */
export function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

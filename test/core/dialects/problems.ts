import { InvalidOptionsError } from '@retry/core';
import type { DialectWarning } from '@retry/core/dialects';

/** The paths of everything that the call reports as wrong, sorted. */
export function problemsOf(call: () => unknown): readonly string[] {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems.map(({ path }) => path).sort();
    throw error;
  }
  throw new Error('nothing was refused');
}

/** Each warning as `CODE path`. */
export function codesOf(warnings: readonly DialectWarning[]): readonly string[] {
  return warnings.map(({ code, path }) => `${code} ${path}`);
}

/** Everything that the call reports as wrong, in one text. */
export function messageOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
}

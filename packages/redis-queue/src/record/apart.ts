import type { Run } from '@retry/core/broker';
import { isLongText } from '@retry/core/broker/kit';

/** The mark in a body or a record of text that is kept apart. */
export const APART = '\u0001';

/**
 * Whether a payload or a result is kept apart: when it is long, so that scripts read only those that they answer, and retention counts
 * their bytes; or when it could be taken for the mark.
 */
export function isKeptApart(text: string): boolean {
  return isLongText(text) || text.includes(APART);
}

/**
 * Splits the stack of the latest error off the errors of a run: long text, which is kept apart from the record, because that is
 * rewritten with every move. A stack that UTF-8 cannot express stays in the errors.
 */
export function splitErrors(errors: Run['errors']): {
  readonly errors: Run['errors'];
  readonly stack: string | undefined;
} {
  const last = errors.at(-1);
  if (last?.stack === undefined || /\p{Surrogate}/u.test(last.stack)) return { errors, stack: undefined };
  const { stack, ...rest } = last;
  return { errors: [...errors.slice(0, -1), rest], stack };
}

/** The errors, the last of them with its stack again. */
export function withStack(errors: Run['errors'], stack: string): Run['errors'] {
  const last = errors.at(-1);
  return last === undefined ? errors : [...errors.slice(0, -1), { ...last, stack }];
}

/** Returns the next one of the texts that a script read at each call. */
export function textReader(texts: readonly (string | null)[]): () => string | undefined {
  let next = 0;
  return () => texts[next++] ?? undefined;
}

import type { Run } from '@retry/core/broker';

/**
 * The errors of a run, and apart from them the stack of the last: long text, kept apart from the record that every
 * script rewrites. Text that would not come back as it is stays where it is.
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

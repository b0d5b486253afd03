import { definePolicy, explain, type Matcher } from '@retry/core';
import * as families from '@retry/core/errors';

/** What a policy makes of an error: any policy repeats it, only one of what is idempotent, or none. */
export type Meaning = 'not applied' | 'ambiguous' | 'permanent';

const ALL = Object.values(families).flat();

/** Returns what all families together say of an error: what one says of another's errors counts, too. */
export function meaningOf(error: unknown): Meaning {
  return meaningIn(ALL, error);
}

/** Returns what some families say of an error. */
export function meaningIn(retryOn: readonly Matcher[], error: unknown): Meaning {
  const [once, again] = [false, true].map((idempotent) =>
    explain(definePolicy({ retryOn: [...retryOn], idempotent }), error),
  );
  if (once?.retries) return 'not applied';
  return again?.retries ? 'ambiguous' : 'permanent';
}

/** Returns an error with properties. */
export function errorWith(properties: object, message = 'x', cause?: unknown): Error {
  return Object.assign(new Error(message, cause === undefined ? {} : { cause }), properties);
}

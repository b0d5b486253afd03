import type { CaseSchema } from './case-schema.ts';

/**
 * How core answers one kind of case, and what the case expects of it. Both give the same keys. `answer` goes
 * through a dialect and core's public functions; it throws a InvalidOptionsError where our validation refuses.
 */
export interface Runner {
  /** The fields that its cases have; a case with any other is not run but fails. */
  readonly schema: CaseSchema;
  // `never`, because each kind reads other fields of a case.
  readonly answer: (given: never) => unknown;
  readonly expected: (given: never) => unknown;
}

/** The runners of one system by kind. */
export interface SystemRunners {
  readonly system: string;
  /** What `version: both` stands for. */
  readonly versions: readonly string[];
  readonly runners: Readonly<Record<string, Runner>>;
}

/** Picks some fields of a case, as its expectation; those that are absent are left out. */
export function pick(given: object, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => keys.includes(key)));
}

/** A source of randomness that gives the case's own draw; the middle where it has none. */
export function randomOf(u: number | undefined): () => number {
  return () => u ?? 0.5;
}

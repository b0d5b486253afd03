import type { CaseSchema } from './case-schema.ts';

/**
 * Returns core's answer to one kind of case, and the expectation of the case, with the same keys. `answer` uses a dialect
 * and core's public functions; it throws an InvalidOptionsError if our validation refuses the case.
 */
export interface Runner {
  /** The fields of its cases; a case with any other field fails. */
  readonly schema: CaseSchema;
  // `never`, because each kind reads other fields of a case.
  readonly answer: (given: never) => unknown;
  readonly expected: (given: never) => unknown;
}

/** The runners of one system by kind. */
export interface SystemRunners {
  readonly system: string;
  /** The versions of `version: both`. */
  readonly versions: readonly string[];
  readonly runners: Readonly<Record<string, Runner>>;
}

/** Returns some fields of a case as its expectation, without absent ones. */
export function pick(given: object, keys: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => keys.includes(key)));
}

/** A source of randomness that returns the draw of the case, or 0.5 if it has none. */
export function randomOf(u: number | undefined): () => number {
  return () => u ?? 0.5;
}

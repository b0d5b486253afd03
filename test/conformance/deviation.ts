import { findDifference } from './compare.ts';
import type { VectorCase } from './vectors.ts';

/** A case, and our answer to it. */
export interface Answered {
  readonly system: string;
  readonly given: VectorCase;
  /** Returns our answer to the case; throws an InvalidOptionsError if our validation refuses it. */
  readonly answer: () => unknown;
  /** Whether our answer is the expected one; not known yet for a worker's answer, which is asynchronous. */
  readonly agrees: () => boolean;
  /** Our answer to another case of the same kind. */
  readonly answerTo: (other: VectorCase) => unknown;
}

/** A rule for cases with intentionally different answers. */
export interface Deviation {
  readonly name: string;
  /** Why, and where that was decided. */
  readonly reason: string;
  readonly applies: (answered: Answered) => boolean;
  /** Returns the difference from the intended answer, or nothing. The answer is known by then, also a worker's. */
  readonly differs: (answered: Answered) => string | undefined;
}

/** A rule about one kind of cases, whose fields it reads by their own type. */
export function ruleFor<Given, Answer = unknown>(
  { system, kind }: { readonly system: string; readonly kind: string },
  rule: {
    readonly name: string;
    readonly reason: string;
    readonly applies: (given: Given) => boolean;
    readonly instead: (given: Given, answer: Answer) => string | undefined;
  },
): Deviation {
  return {
    name: rule.name,
    reason: rule.reason,
    // The kind determines the fields of a case, its runner those of the answer.
    applies: ({ system: of, given }) => of === system && given.kind === kind && rule.applies(given as Given),
    differs: ({ given, answer }) => rule.instead(given as Given, answer() as Answer),
  };
}

/** Returns the difference from the intended answer. */
export function unlike(actual: unknown, wanted: unknown): string | undefined {
  return findDifference(actual, wanted, 'ours');
}

import { findDifference } from './compare.ts';
import type { VectorCase } from './vectors.ts';

/** A case, and what our side answers to it. */
export interface Answered {
  readonly system: string;
  readonly given: VectorCase;
  /** Runs our side of the case; throws a InvalidOptionsError where our validation refuses. */
  readonly answer: () => unknown;
  /** Whether our side is what the case expects; of a worker's answer, which takes its time, it is not known yet. */
  readonly agrees: () => boolean;
  /** Our side of another case of the same kind. */
  readonly answerTo: (other: VectorCase) => unknown;
}

/** A rule by which cases are answered otherwise on purpose. */
export interface Deviation {
  readonly name: string;
  /** Why, and where that was decided. */
  readonly reason: string;
  readonly applies: (answered: Answered) => boolean;
  /** What we do instead: the difference from it, or nothing. The answer is known by then, also a worker's. */
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
    // The kind says which fields a case has, and its runner what it answers.
    applies: ({ system: of, given }) => of === system && given.kind === kind && rule.applies(given as Given),
    differs: ({ given, answer }) => rule.instead(given as Given, answer() as Answer),
  };
}

/** The difference from what is meant instead. */
export function unlike(actual: unknown, wanted: unknown): string | undefined {
  return findDifference(actual, wanted, 'ours');
}

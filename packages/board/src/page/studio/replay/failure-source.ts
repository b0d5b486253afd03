import type { ReplaySummary } from '@retry/core/failures';

/** Some recorded failures. */
export interface FailureSet {
  readonly id: string;
  readonly title: string;
}

/** What a policy would have decided about recorded failures. */
export interface Replayed {
  readonly summary: ReplaySummary;
  /** What the policy of their task would have decided, where that is known. */
  readonly present?: ReplaySummary;
  /** `false`: there are more, which were not replayed. */
  readonly isComplete: boolean;
}

/** Where recorded failures are, besides the text that people paste. */
export interface FailureSource {
  /** @param wanted - a set that is among them, if it exists */
  list(wanted: string | undefined): Promise<readonly FailureSet[]>;
  /** @param policy - JSON */
  replay(policy: string, set: string): Promise<Replayed>;
}

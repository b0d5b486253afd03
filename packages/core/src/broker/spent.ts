import type { RecordedAttempt } from '../failures/recorded-attempt.ts';

/**
 * What a run brought along from elsewhere: a call that was handed to a queue after it had failed, or a run of another queue. It
 * counts until a redrive resets the attempts.
 */
export interface Spent {
  /** Charged attempts that were made there; an integer ≥ 0. The run's first attempt is the one after them. */
  readonly attempts: number;
  /** What those failed with, oldest first, without stacks; at most 20. @default none */
  readonly errors?: readonly SpentError[];
  /** When the first of them started, in whole epoch milliseconds: the total time began then. @default at the first start */
  readonly firstStartedAt?: number;
}

/** The error of one attempt that was made elsewhere. */
export type SpentError = RecordedAttempt;

import type { FailReason, PolicyInput } from '@retry/core';
import type { ReplaySummary } from '@retry/core/failures';

/** `POST replay`: what another policy would have decided about recorded failures. It changes nothing. */
export interface ReplayRequest {
  /** A policy as `parsePolicy` reads it, without a registry. */
  readonly policy: PolicyInput;
  /** @default every lane */
  readonly lane?: string;
  /** The id of an error group; needs `lane`. @default every dead letter of the lane */
  readonly group?: string;
  /** How many runs, 1 to 1 000. @default 1000 */
  readonly limit?: number;
}

/** What a policy would have decided. */
export interface ReplayAnswer {
  /** The outcome over all runs that were read. */
  readonly summary: ReplaySummary;
  /** What the task's own policy would have decided, which differs from what happened where the policy has changed. */
  readonly present?: ReplaySummary;
  /** `false`: there are more runs than `limit`. */
  readonly isComplete: boolean;
  /** A few runs, for instance. */
  readonly runs: readonly ReplayedRun[];
}

/** One run under another policy. */
export interface ReplayedRun {
  readonly id: string;
  /** Whether it would have had another attempt after the last recorded one. */
  readonly isRetried: boolean;
  /** The attempt after which it would have ended, counted from 1; if it is retried, the last recorded one. */
  readonly attempt: number;
  /** The last recorded attempt, counted from 1; 0 if none is recorded. */
  readonly recordedAttempt: number;
  /** Why it would have ended; absent if it is retried. */
  readonly reason?: FailReason | 'ended';
  /** How much later the run would have ended; negative: sooner. Absent if a time is missing. */
  readonly laterByMs?: number;
  /** The recorded facts that the policy had to do without. */
  readonly missing: readonly string[];
}

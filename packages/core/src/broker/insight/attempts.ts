/** Which runs to look at. */
export interface AttemptsQuery {
  /** @default every lane */
  readonly lane?: string;
  /** @default both */
  readonly state?: 'submitted' | 'scheduled';
  /** How many runs to look at, at most, in the order of `list`; 1 to 5 000. @default 1000 */
  readonly limit?: number;
}

/** How many runs are about to start which attempt. */
export interface AttemptCounts {
  /** By attempt, counted from 1; only attempts that some run is about to start. */
  readonly counts: readonly AttemptCount[];
  /** How many runs were looked at. */
  readonly searched: number;
  /** `false`: there are more runs, which were not looked at. */
  readonly isComplete: boolean;
}

/** How many runs are about to start one attempt. */
export interface AttemptCount {
  /** The attempt that they are about to start, counted from 1. */
  readonly attempt: number;
  /** How many of the runs that were looked at, ≥ 1. */
  readonly runs: number;
}

import type { DeadLetterState } from '@retry/core/lifecycle';
import type { PlannedGroup, PlannedLoad } from '@retry/worker';

/** Which dead letters a plan is for; runs have to match all that is given, and something has to be given. */
export interface PlanFilter {
  /** Only these runs; in any of the states unless `state` is given. */
  readonly ids?: readonly string[];
  /** The name of a task. */
  readonly task?: string;
  /** Needs `task`. */
  readonly version?: string;
  /** The id of an error group. */
  readonly group?: string;
  /** Only those whose latest error has this name. */
  readonly errorName?: string;
  /** `'1h'`, `'5m'` or milliseconds. */
  readonly olderThan?: string | number;
  /** Only those that ended at most this long ago: `'1h'`, `'5m'` or milliseconds. */
  readonly newerThan?: string | number;
  /** @default 'failed' */
  readonly state?: DeadLetterState;
}

/** `POST plans` takes a {@link PlanFilter}: what a redrive or a discard would do. It changes nothing. */
export interface PlanAnswer {
  /** To apply it. Kept for 15 minutes, in this process. */
  readonly id: string;
  /** The filter that was asked for. */
  readonly filter: PlanFilter;
  /** The instant of the plan: it covers what ended before. */
  readonly at: number;
  readonly count: number;
  /** `false`: there are at least `count`. */
  readonly isComplete: boolean;
  /** The largest first; titles have passed `mask`. */
  readonly groups: readonly PlannedGroup[];
  /** The one with most dead letters first. */
  readonly tasks: readonly PlanTask[];
  readonly load: PlannedLoad;
  /** At most ten. */
  readonly firstIds: readonly string[];
  /** The command that makes the same plan in a terminal. */
  readonly command: string;
}

/** The dead letters of one task in a plan. */
export interface PlanTask {
  readonly task: string;
  readonly version: string;
  readonly count: number;
  /** Runs that were submitted with a policy of their own. */
  readonly ownPolicies: number;
  /** How long a run that fails at each attempt retries before it is dead again, at most. Absent: the task is not known, or it has no end. */
  readonly deadAgainAfterMs?: number;
}

/** `POST plans/:id/apply`. */
export interface ApplyRequest {
  readonly kind: 'redrive' | 'discard';
  /** How many runs are due per second, at most, over 0. @default no limit */
  readonly perSecond?: number;
  /** `'10m'` or milliseconds; needs a plan that is complete. */
  readonly spread?: string | number;
  /** Keeps the counted attempts; needs a plan of one task in one version, which the board was given. @default false */
  readonly keepAttempts?: boolean;
  /** Why; 1 to 512 bytes. */
  readonly reason: string;
}

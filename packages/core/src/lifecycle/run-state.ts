/** Where a task run is on its way. */
export type RunState = ActiveState | EndState;

/** States that something still follows. */
export type ActiveState = 'unsubmitted' | 'submitted' | 'scheduled' | 'started';

/** States that nothing follows by itself; `failed`, `stalled` and `rateLimited` may be redriven. */
export type EndState = 'completed' | 'failed' | 'cancelled' | 'stalled' | 'dropped' | 'rateLimited';

/** Every state, in the order of a run's life. */
export const RUN_STATES: readonly RunState[] = [
  'unsubmitted',
  'submitted',
  'scheduled',
  'started',
  'completed',
  'failed',
  'cancelled',
  'stalled',
  'dropped',
  'rateLimited',
];

/** Whether the run is over, unless somebody redrives it (or, when stalled, the cleaner recovers it). */
export function isEnd(state: RunState): state is EndState {
  return !['unsubmitted', 'submitted', 'scheduled', 'started'].includes(state);
}

/**
 * What a run has used up and when things happened to it; all that the lifecycle reads and writes.
 * Counters only grow, but for a redrive that resets the attempts.
 */
export interface RunRecord<State extends RunState = RunState> {
  readonly state: State;
  /** Number of claims so far: the fencing token. Never reset. */
  readonly epoch: number;
  /** The epoch when the attempts were last reset; 0 when never. */
  readonly resetEpoch: number;
  /** When that was; the deadline of a redriven run counts from it. */
  readonly resetAt?: number | undefined;
  readonly failures: number;
  readonly stalls: number;
  readonly releases: number;
  readonly rateLimits: number;
  readonly redrives: number;
  /** Latest submission, in epoch milliseconds, as every instant here. */
  readonly submittedAt?: number | undefined;
  /** First start. */
  readonly firstStartedAt?: number | undefined;
  /** Latest start, the first included. */
  readonly startedAt?: number | undefined;
  readonly heartbeatAt?: number | undefined;
  /** When it is due, or was: lateness is the start minus this. */
  readonly runAt?: number | undefined;
  /** When it ended. */
  readonly endedAt?: number | undefined;
}

/** A run that nobody has submitted yet. */
export const NEW_RUN: RunRecord<'unsubmitted'> = Object.freeze({
  state: 'unsubmitted',
  epoch: 0,
  resetEpoch: 0,
  failures: 0,
  stalls: 0,
  releases: 0,
  rateLimits: 0,
  redrives: 0,
});

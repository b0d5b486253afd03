/** States of a run that has not ended, in the order of its life. */
const ACTIVE_STATES = ['unsubmitted', 'submitted', 'scheduled', 'started'] as const;

/** Terminal states; a run that ended in one of {@link DEAD_LETTER_STATES} may be redriven. */
export const END_STATES = ['completed', 'failed', 'cancelled', 'stalled', 'dropped', 'rateLimited'] as const;

/** Every state, in the order of a run's life. */
export const RUN_STATES: readonly RunState[] = [...ACTIVE_STATES, ...END_STATES];

/** The state of a run. */
export type RunState = ActiveState | EndState;

/** A state of a run that has not ended. */
type ActiveState = (typeof ACTIVE_STATES)[number];

/** A terminal state. */
export type EndState = (typeof END_STATES)[number];

/** Returns an object with a value for each terminal state. */
export function byEnd<Value>(read: (state: EndState) => Value): Record<EndState, Value> {
  return Object.fromEntries(END_STATES.map((state) => [state, read(state)])) as Record<EndState, Value>; // each of them
}

const ENDS: readonly RunState[] = END_STATES;

/** Returns whether the run has ended. It may still be redriven, or recovered when stalled. What is no state has not. */
export function isEnd(state: RunState): state is EndState {
  return ENDS.includes(state);
}

/**
 * The counters and instants of a run: all that the lifecycle reads and writes. Counters only grow, except by a redrive
 * that resets the attempts.
 */
export interface RunRecord<State extends RunState = RunState> {
  /** Where it is in the state machine. */
  readonly state: State;
  /** Number of claims so far: the fencing token. Never reset. */
  readonly epoch: number;
  /** The epoch when the attempts were last reset; 0 when never. */
  readonly resetEpoch: number;
  /** When that was; the deadline of a redriven run counts from it. */
  readonly resetAt?: number | undefined;
  /** Attempts that failed, or asked for a retry, since the attempts were last reset. */
  readonly failures: number;
  /** Stalls that were charged, since then. */
  readonly stalls: number;
  /** How often it was given back uncharged, since then. */
  readonly releases: number;
  /** How often a limit put it off, since then. */
  readonly rateLimits: number;
  /** How often it was redriven in all. */
  readonly redrives: number;
  /** Charged attempts that it brought along from elsewhere. Only a redrive that resets the attempts changes it, to 0. */
  readonly carried: number;
  /** First submission, in epoch milliseconds, as every instant here; never changes, also not by a redrive. */
  readonly createdAt?: number | undefined;
  /** Latest submission or return to its lane. */
  readonly submittedAt?: number | undefined;
  /**
   * First start. A settlement removes it if no handler was called; then it is the next one. One of a policy with a total time sets it to
   * the first call of the handler, at all or since the attempts were last reset.
   */
  readonly firstStartedAt?: number | undefined;
  /** Latest start, the first included. */
  readonly startedAt?: number | undefined;
  /** Latest sign of life of the worker that runs it. */
  readonly heartbeatAt?: number | undefined;
  /** When it is due, or was: lateness is the start minus this. */
  readonly runAt?: number | undefined;
  /** When it ended. */
  readonly endedAt?: number | undefined;
}

/** A run before its submission. */
export const NEW_RUN: RunRecord<'unsubmitted'> = Object.freeze({
  state: 'unsubmitted',
  epoch: 0,
  resetEpoch: 0,
  failures: 0,
  stalls: 0,
  releases: 0,
  rateLimits: 0,
  redrives: 0,
  carried: 0,
});

import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunState } from './run-state.ts';
import { END_STATES } from './run-state.ts';

/**
 * The lifecycle: all moves. The types, `transition`, the diagram of the states, the exhaustive check and the brokers'
 * contract are derived from this table.
 */
export const ARROWS = [
  { from: 'unsubmitted', event: 'submit', to: 'submitted' },
  { from: 'unsubmitted', event: 'submit', to: 'scheduled' },
  { from: 'scheduled', event: 'promote', to: 'submitted' },
  { from: 'scheduled', event: 'reschedule', to: 'submitted' },
  { from: 'scheduled', event: 'reschedule', to: 'scheduled' },
  { from: 'scheduled', event: 'cancel', to: 'cancelled' },
  { from: 'scheduled', event: 'end', to: 'completed' },
  { from: 'scheduled', event: 'end', to: 'failed' },
  { from: 'submitted', event: 'start', to: 'started' },
  { from: 'submitted', event: 'reschedule', to: 'submitted' },
  { from: 'submitted', event: 'reschedule', to: 'scheduled' },
  { from: 'submitted', event: 'cancel', to: 'cancelled' },
  { from: 'submitted', event: 'end', to: 'completed' },
  { from: 'submitted', event: 'end', to: 'failed' },
  { from: 'submitted', event: 'drop', to: 'dropped' },
  { from: 'submitted', event: 'limit', to: 'scheduled' },
  { from: 'submitted', event: 'limit', to: 'rateLimited' },
  { from: 'started', event: 'heartbeat', to: 'started' },
  { from: 'started', event: 'complete', to: 'completed' },
  { from: 'started', event: 'retry', to: 'submitted' },
  { from: 'started', event: 'retry', to: 'scheduled' },
  { from: 'started', event: 'fail', to: 'failed' },
  { from: 'started', event: 'release', to: 'submitted' },
  { from: 'started', event: 'release', to: 'scheduled' },
  { from: 'started', event: 'limit', to: 'scheduled' },
  { from: 'started', event: 'limit', to: 'rateLimited' },
  { from: 'started', event: 'stall', to: 'stalled' },
  { from: 'started', event: 'cancel', to: 'cancelled' },
  { from: 'started', event: 'drop', to: 'dropped' },
  { from: 'stalled', event: 'recover', to: 'submitted' },
  { from: 'stalled', event: 'recover', to: 'scheduled' },
  { from: 'stalled', event: 'giveUp', to: 'failed' },
  { from: 'failed', event: 'redrive', to: 'submitted' },
  { from: 'failed', event: 'redrive', to: 'scheduled' },
  { from: 'stalled', event: 'redrive', to: 'submitted' },
  { from: 'stalled', event: 'redrive', to: 'scheduled' },
  { from: 'rateLimited', event: 'redrive', to: 'submitted' },
  { from: 'rateLimited', event: 'redrive', to: 'scheduled' },
] as const;

/** One move of the lifecycle. */
export interface Arrow {
  /** The state that accepts the event. */
  readonly from: RunState;
  /** What happens to the run; some events have two arrows from one state. */
  readonly event: RunEventType;
  /** The state that it leads to. */
  readonly to: RunState;
}

type KnownArrow = (typeof ARROWS)[number];

/** The target states by state and event, read by every move of every run. */
const TARGETS: ReadonlyMap<string, ReadonlyMap<string, readonly RunState[]>> = indexArrows();

/** Returns whether the lifecycle has this move. */
export function isArrow({ from, event, to }: Arrow): boolean {
  return TARGETS.get(from)?.get(event)?.includes(to) === true;
}

/** A state of runs that an operator can redrive. */
export type DeadLetterState = Extract<KnownArrow, { event: 'redrive' }>['from'];

/** Returns whether an operator can redrive a run that ended in this state. */
export function isDeadLetter(state: RunState): state is DeadLetterState {
  return TARGETS.get(state)?.has('redrive') === true;
}

/** The states of dead letters, in the order of {@link END_STATES}. */
export const DEAD_LETTER_STATES: readonly DeadLetterState[] = END_STATES.filter(isDeadLetter);

function indexArrows(): Map<string, Map<string, RunState[]>> {
  const targets = new Map<string, Map<string, RunState[]>>();
  for (const { from, event, to } of ARROWS) {
    const ofState = targets.get(from) ?? new Map<string, RunState[]>();
    targets.set(from, ofState.set(event, [...(ofState.get(event) ?? []), to]));
  }
  return targets;
}

/** The events that a run in this state accepts; for a union of states, the events of any of them. */
export type EventFrom<State extends RunState> = Extract<
  RunEvent,
  { type: Extract<KnownArrow, { from: State }>['event'] }
>;

/** The states that an event can lead to from this state. */
export type StateAfter<State extends RunState, Type extends RunEventType> = Extract<
  KnownArrow,
  { from: State; event: Type }
>['to'];

/** Returns the lifecycle as a Mermaid state diagram, drawn from the table of moves. */
export function lifecycleDiagram(): string {
  const arrows = ARROWS.map(({ from, event, to }) => `  ${from} --> ${to} : ${event}`);
  const ends = END_STATES.map((state) => `  ${state} --> [*]`);
  return ['stateDiagram-v2', '  [*] --> unsubmitted', ...arrows, ...ends, ''].join('\n');
}

import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunState } from './run-state.ts';

/**
 * The lifecycle: every move there is. The types, `transition`, the diagram in docs/lifecycle.md, the
 * exhaustive check and the brokers' contract all come from this table.
 */
export const ARROWS = [
  { from: 'unsubmitted', event: 'submit', to: 'submitted' },
  { from: 'unsubmitted', event: 'submit', to: 'scheduled' },
  { from: 'scheduled', event: 'promote', to: 'submitted' },
  { from: 'scheduled', event: 'cancel', to: 'cancelled' },
  { from: 'submitted', event: 'start', to: 'started' },
  { from: 'submitted', event: 'cancel', to: 'cancelled' },
  { from: 'submitted', event: 'drop', to: 'dropped' },
  { from: 'submitted', event: 'limit', to: 'scheduled' },
  { from: 'submitted', event: 'limit', to: 'rateLimited' },
  { from: 'started', event: 'heartbeat', to: 'started' },
  { from: 'started', event: 'complete', to: 'completed' },
  { from: 'started', event: 'retry', to: 'submitted' },
  { from: 'started', event: 'retry', to: 'scheduled' },
  { from: 'started', event: 'fail', to: 'failed' },
  { from: 'started', event: 'release', to: 'submitted' },
  { from: 'started', event: 'limit', to: 'scheduled' },
  { from: 'started', event: 'limit', to: 'rateLimited' },
  { from: 'started', event: 'stall', to: 'stalled' },
  { from: 'started', event: 'cancel', to: 'cancelled' },
  { from: 'started', event: 'drop', to: 'dropped' },
  { from: 'stalled', event: 'recover', to: 'submitted' },
  { from: 'stalled', event: 'recover', to: 'scheduled' },
  { from: 'stalled', event: 'giveUp', to: 'failed' },
  { from: 'failed', event: 'redrive', to: 'submitted' },
  { from: 'stalled', event: 'redrive', to: 'submitted' },
  { from: 'rateLimited', event: 'redrive', to: 'submitted' },
] as const;

/** One move of the lifecycle. */
export interface Arrow {
  readonly from: RunState;
  readonly event: RunEventType;
  readonly to: RunState;
}

type KnownArrow = (typeof ARROWS)[number];

/** The arrows by where they come from and by what: every move of every run asks. */
const TARGETS: ReadonlyMap<string, ReadonlyMap<string, readonly RunState[]>> = indexArrows();

/** Whether the lifecycle knows this move. */
export function isArrow({ from, event, to }: Arrow): boolean {
  return TARGETS.get(from)?.get(event)?.includes(to) === true;
}

function indexArrows(): Map<string, Map<string, RunState[]>> {
  const targets = new Map<string, Map<string, RunState[]>>();
  for (const { from, event, to } of ARROWS) {
    const ofState = targets.get(from) ?? new Map<string, RunState[]>();
    targets.set(from, ofState.set(event, [...(ofState.get(event) ?? []), to]));
  }
  return targets;
}

/** Events that a run in this state takes; a union of states takes what any of them takes. */
export type EventFrom<State extends RunState> = Extract<
  RunEvent,
  { type: Extract<KnownArrow, { from: State }>['event'] }
>;

/** States that an event leads to from this state. */
export type StateAfter<State extends RunState, Type extends RunEventType> = Extract<
  KnownArrow,
  { from: State; event: Type }
>['to'];

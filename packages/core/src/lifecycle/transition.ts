import { AN_INSTANT, type ArgumentRule, checkArguments, optional } from '../fields/check-arguments.ts';
import { read } from '../read.ts';
import type { Draft } from './apply-event.ts';
import { applyEvent } from './apply-event.ts';
import type { EventFrom, StateAfter } from './arrows.ts';
import { isArrow } from './arrows.ts';
import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunRecord, RunState } from './run-state.ts';
import { isEnd } from './run-state.ts';

/** What the caller has to do after a move; `transition` itself does nothing. */
export type Effect =
  /** Append it to its lane, ready for a worker. */
  | { readonly type: 'enqueue' }
  /** Schedule it for `runAt`. */
  | { readonly type: 'schedule'; readonly runAt: number }
  /** Give its worker the lease of this epoch. */
  | { readonly type: 'lease'; readonly epoch: number }
  /** The run has ended: drop the lease, keep the record. */
  | { readonly type: 'end' };

/** The result of an event: a move, or a rejection by a state that does not accept the event. */
export type Transition<Kept extends RunRecord = RunRecord, State extends RunState = RunState> =
  | {
      readonly type: 'moved';
      /** A copy with its new state, counters and instants. */
      readonly run: Omit<Kept, 'state'> & { readonly state: State };
      /** What the caller has to do; may be empty. */
      readonly effects: readonly Effect[];
    }
  | { readonly type: 'rejected'; readonly from: RunState; readonly event: RunEventType };

/**
 * Returns the run after an event. Pure: executes nothing and mutates nothing; other keys of the run stay.
 *
 * An event that the state does not accept is a type error where the type says the state, and a `rejected` value
 * otherwise.
 *
 * @throws {InvalidOptionsError} when the run has no state, or the event no type or instant, or a wrong `runAt`
 * @see docs/lifecycle.md
 */
export function transition<Kept extends RunRecord, Event extends EventFrom<Kept['state']>>(
  run: Kept,
  event: Event,
): Transition<Kept, StateAfter<Kept['state'], Event['type']>> {
  checkArguments('transition', {
    'run.state': [read(run, 'state'), A_STATE],
    'event.type': [read(event, 'type'), AN_EVENT],
    'event.at': [read(event, 'at'), AN_INSTANT],
    'event.runAt': [read(event, 'runAt'), optional(AN_INSTANT)],
  });
  return transitionBy(run, event, spread);
}

const A_STATE: ArgumentRule = {
  accepts: (value) => typeof value === 'string',
  message: 'must be the state of a run',
  cure: 'Use NEW_RUN, or a stored run.',
};

/** One that is unknown is rejected like any that the state does not accept. */
const AN_EVENT: ArgumentRule = {
  accepts: (value) => typeof value === 'string',
  message: 'must be the name of an event',
  cure: "Use { type: 'submit', at: Date.now() }.",
};

/** `transition` with a copy that is faster than a spread, for arguments that have been checked. The copy is written into. */
export function transitionBy<Kept extends RunRecord, Event extends EventFrom<Kept['state']>>(
  run: Kept,
  event: Event,
  copy: (run: Kept) => Kept,
): Transition<Kept, StateAfter<Kept['state'], Event['type']>> {
  // The types are derived from the same table that `move` reads.
  return move(run, event, copy) as Transition<Kept, StateAfter<Kept['state'], Event['type']>>;
}

function spread<Kept extends RunRecord>(run: Kept): Kept {
  return { ...run };
}

function move<Kept extends RunRecord>(run: Kept, event: RunEvent, copy: (run: Kept) => Kept): Transition {
  const to = targetOf(event);
  if (!isArrow({ from: run.state, event: event.type, to })) {
    return { type: 'rejected', from: run.state, event: event.type };
  }
  const moved: Draft = copy(run);
  applyEvent(moved, event);
  moved.state = to;
  return { type: 'moved', run: moved, effects: effectsOf(run, moved) };
}

function targetOf(event: RunEvent): RunState {
  switch (event.type) {
    case 'submit':
    case 'retry':
    case 'recover':
    case 'release':
    case 'reschedule':
    case 'redrive':
      return isLater(event) ? 'scheduled' : 'submitted';
    case 'limit':
      return event.runAt === undefined ? 'rateLimited' : 'scheduled';
    case 'promote':
      return 'submitted';
    case 'start':
    case 'heartbeat':
      return 'started';
    case 'complete':
      return 'completed';
    case 'fail':
    case 'giveUp':
      return 'failed';
    case 'stall':
      return 'stalled';
    case 'cancel':
      return 'cancelled';
    case 'drop':
      return 'dropped';
    case 'end':
      return event.as;
  }
}

function isLater({ at, runAt = at }: { readonly at: number; readonly runAt?: number }): boolean {
  return runAt > at;
}

const NONE: readonly Effect[] = Object.freeze([]);
const ENQUEUE: readonly Effect[] = Object.freeze([Object.freeze({ type: 'enqueue' as const })]);
const END: readonly Effect[] = Object.freeze([Object.freeze({ type: 'end' as const })]);

function effectsOf(from: RunRecord, to: RunRecord): readonly Effect[] {
  if (to.state === 'scheduled') return [{ type: 'schedule', runAt: to.runAt ?? 0 }];
  if (from.state === to.state) return NONE;
  if (to.state === 'submitted') return ENQUEUE;
  if (to.state === 'started') return [{ type: 'lease', epoch: to.epoch }];
  return isEnd(to.state) ? END : NONE;
}

import type { RunEvent, RunRecord, RunState } from '@retry/core/lifecycle';
import { NEW_RUN, transition } from '@retry/core/lifecycle';

/** The instant of the events, and a later one. */
const AT = 1_000;
const LATER = 2_000;

/** All events, in all variants. */
const EVENTS: readonly RunEvent[] = [
  { type: 'submit', at: AT },
  { type: 'submit', at: AT, runAt: LATER },
  { type: 'promote', at: AT },
  { type: 'start', at: AT },
  { type: 'heartbeat', at: AT },
  { type: 'complete', at: AT },
  { type: 'retry', at: AT, runAt: AT },
  { type: 'retry', at: AT, runAt: LATER },
  { type: 'fail', at: AT },
  { type: 'release', at: AT },
  { type: 'stall', at: AT },
  { type: 'recover', at: AT, runAt: AT },
  { type: 'recover', at: AT, runAt: LATER },
  { type: 'giveUp', at: AT },
  { type: 'cancel', at: AT },
  { type: 'drop', at: AT },
  { type: 'limit', at: AT },
  { type: 'limit', at: AT, runAt: LATER },
  { type: 'redrive', at: AT },
  { type: 'redrive', at: AT, keepAttempts: true },
];

const SUBMIT: RunEvent = { type: 'submit', at: 0 };
const START: RunEvent = { type: 'start', at: 0 };

/** The events that lead to each state. */
const HISTORIES: Readonly<Record<RunState, readonly RunEvent[]>> = {
  unsubmitted: [],
  submitted: [SUBMIT],
  scheduled: [{ type: 'submit', at: 0, runAt: 500 }],
  started: [SUBMIT, START],
  completed: [SUBMIT, START, { type: 'complete', at: 0 }],
  failed: [SUBMIT, START, { type: 'fail', at: 0 }],
  cancelled: [SUBMIT, START, { type: 'cancel', at: 0 }],
  stalled: [SUBMIT, START, { type: 'stall', at: 0 }],
  dropped: [SUBMIT, { type: 'drop', at: 0 }],
  rateLimited: [SUBMIT, START, { type: 'limit', at: 0 }],
};

/** One event and the run after it. */
export interface Move {
  readonly event: RunEvent;
  readonly run: RunRecord;
}

/** A run in this state. */
export function runIn(state: RunState): RunRecord {
  return HISTORIES[state].reduce<RunRecord>((run, event) => {
    const [moved] = moveBy(run, [event]);
    if (moved === undefined) throw new Error(`No ${event.type} on the way to ${state}.`);
    return moved.run;
  }, NEW_RUN);
}

/** The events that the run's state accepts. */
export function moveBy(run: RunRecord, events: readonly RunEvent[]): readonly Move[] {
  return events.flatMap((event) => {
    const moved = transition<RunRecord, RunEvent>(run, event);
    return moved.type === 'moved' ? [{ event, run: moved.run }] : [];
  });
}

/** The events of these types, in all variants. */
export function eventsOf(...types: readonly RunEvent['type'][]): readonly RunEvent[] {
  return EVENTS.filter(({ type }) => types.includes(type));
}

/** The events that move the run to this state directly; a heartbeat moves no run. */
export function movesTo(run: RunRecord, state: RunState): readonly Move[] {
  return moveBy(run, EVENTS).filter(
    ({ event, run: { state: to } }) => to === state && event.type !== 'heartbeat',
  );
}

/** The shortest sequence of events to this state; `undefined` if there is none. */
export function pathTo(run: RunRecord, state: RunState): readonly Move[] | undefined {
  const seen = new Set<RunState>([run.state]);
  let paths: readonly (readonly Move[])[] = [[]];
  while (paths.length > 0) {
    const there = paths.find((path) => (path.at(-1)?.run ?? run).state === state);
    if (there !== undefined) return there;
    paths = paths.flatMap((path) => {
      const next = moveBy(path.at(-1)?.run ?? run, EVENTS).filter((move) => !seen.has(move.run.state));
      for (const move of next) seen.add(move.run.state);
      return next.map((move) => [...path, move]);
    });
  }
  return undefined;
}

const TIMESTAMPS = ['submittedAt', 'firstStartedAt', 'startedAt', 'endedAt'] as const;

/**
 * The timestamps that were written between the two, in the order of a run's life. The seeds note a first start and later
 * ones apart: `startedAt` counts from the second on.
 */
export function timestampsBetween(from: RunRecord, to: RunRecord): readonly (typeof TIMESTAMPS)[number][] {
  const isFirst = from.firstStartedAt !== to.firstStartedAt;
  return TIMESTAMPS.filter((key) => from[key] !== to[key] && !(isFirst && key === 'startedAt'));
}

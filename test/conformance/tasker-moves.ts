import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { expected, oneOf, record } from './case-schema.ts';
import { moveBy, runIn } from './lifecycle-moves.ts';
import { pick, type Runner } from './runner.ts';

export interface StepTransitionsCase {
  readonly from: string;
  readonly allowed: Readonly<Record<string, string>>;
}

/**
 * What Tasker's states are called here. Its queues between worker and orchestration are none of a run's states: a
 * claim and its settlement are one write each.
 */
const STATES: Readonly<Record<string, RunState>> = {
  pending: 'submitted',
  enqueued: 'submitted',
  in_progress: 'started',
  enqueued_for_orchestration: 'started',
  enqueued_as_error_for_orchestration: 'started',
  waiting_for_retry: 'scheduled',
  complete: 'completed',
  error: 'failed',
  cancelled: 'cancelled',
  resolved_manually: 'completed',
};

/** The ten states of a step. */
export const STEP_STATES: readonly string[] = Object.keys(STATES);

/** Our events for Tasker's; an empty list has no counterpart. */
const EVENTS: Readonly<Record<string, readonly RunEvent[]>> = {
  start: [{ type: 'start', at: 1 }],
  complete: [{ type: 'complete', at: 1 }],
  fail: [{ type: 'fail', at: 1 }],
  cancel: [{ type: 'cancel', at: 1 }],
  wait_for_retry: [{ type: 'retry', at: 1, runAt: 2 }],
  retry: [
    { type: 'promote', at: 1 },
    { type: 'redrive', at: 1, keepAttempts: true },
  ],
  reset_for_retry: [{ type: 'redrive', at: 1 }],
  enqueue: [],
  enqueue_for_orchestration: [],
  enqueue_as_error_for_orchestration: [],
  complete_manually: [],
  resolve_manually: [],
};

/** The events of Tasker that a run accepts, and the states after them; the same keys as `allowed`. */
export const stepTransitions: Runner = {
  schema: { from: oneOf(...STEP_STATES), ...expected({ allowed: record }) },
  answer: ({ from, allowed }: StepTransitionsCase) => {
    const strange = Object.keys(allowed).find((event) => !Object.hasOwn(EVENTS, event));
    if (strange !== undefined) throw new Error(`Tasker's event ${strange} has no counterpart.`);
    const run = runIn(STATES[from] ?? 'unsubmitted');
    const taken = Object.entries(EVENTS).flatMap(([name, events]) => {
      const [move] = moveBy(run, events);
      return move === undefined ? [] : [[name, nameOf(move.run.state)] as const];
    });
    return { allowed: Object.fromEntries(taken), count: taken.length };
  },
  expected: (given: StepTransitionsCase) => ({
    ...pick(given, ['allowed']),
    count: Object.keys(given.allowed).length,
  }),
};

function nameOf(state: RunState): string {
  return STEP_STATES.find((name) => STATES[name] === state) ?? state;
}

/**
 * The events that a run accepts in each of Tasker's states, in Tasker's words, written by hand: a wrong arrow of the lifecycle is
 * a difference from it.
 */
const MEANT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  pending: { start: 'in_progress', cancel: 'cancelled' },
  enqueued: { start: 'in_progress', cancel: 'cancelled' },
  in_progress: {
    complete: 'complete',
    fail: 'error',
    cancel: 'cancelled',
    wait_for_retry: 'waiting_for_retry',
  },
  // The worker still runs it, and its outcome decides.
  enqueued_for_orchestration: {
    complete: 'complete',
    fail: 'error',
    cancel: 'cancelled',
    wait_for_retry: 'waiting_for_retry',
  },
  enqueued_as_error_for_orchestration: {
    complete: 'complete',
    fail: 'error',
    cancel: 'cancelled',
    wait_for_retry: 'waiting_for_retry',
  },
  waiting_for_retry: { retry: 'pending', cancel: 'cancelled' },
  complete: {},
  error: { retry: 'pending', reset_for_retry: 'pending' },
  cancelled: {},
  resolved_manually: {},
};

/** Events of Tasker that no run accepts in any state. */
const NOWHERE: readonly string[] = [
  // There are no queues between worker and orchestration: a claim and its settlement are one write each.
  'enqueue',
  'enqueue_for_orchestration',
  'enqueue_as_error_for_orchestration',
  // An operator can redrive or discard an ended run, but not complete it.
  'complete_manually',
  'resolve_manually',
];

/** Events of Tasker that a run does not accept in this state. */
const NOT_FROM: Readonly<Record<string, readonly string[]>> = {
  // Only a run that has started fails or waits for a retry.
  pending: ['fail', 'wait_for_retry'],
  enqueued: ['fail', 'wait_for_retry'],
  // An end is not cancelled.
  error: ['cancel'],
};

/** Events that a run accepts and Tasker's step does not: the outcome of a worker that still runs it. */
const ONLY_HERE: Readonly<Record<string, readonly string[]>> = {
  enqueued_for_orchestration: ['wait_for_retry', 'fail', 'complete'],
  enqueued_as_error_for_orchestration: ['wait_for_retry', 'fail', 'complete'],
};

/** The intended answer for a step in this state; `undefined` if the case differs without one of the reasons above. */
export function meantMoves({
  from,
  allowed,
}: StepTransitionsCase): Readonly<Record<string, string>> | undefined {
  const meant = MEANT[from];
  if (meant === undefined) return undefined;
  const isExplained = Object.keys({ ...allowed, ...meant }).every((event) => {
    if (allowed[event] === meant[event]) return true;
    if (meant[event] === undefined)
      return NOWHERE.includes(event) || NOT_FROM[from]?.includes(event) === true;
    return allowed[event] === undefined && ONLY_HERE[from]?.includes(event) === true;
  });
  return isExplained ? meant : undefined;
}

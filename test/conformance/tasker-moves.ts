import type { RunEvent, RunState } from '@retry/core/lifecycle';
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

/** What Tasker's events are called here; those that are missing have no counterpart. */
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
};

/** Which of Tasker's events a run takes, and where they lead; the same keys as `allowed`. */
export const stepTransitions: Runner = {
  answer: ({ from }: StepTransitionsCase) => {
    const state = STATES[from];
    if (state === undefined) throw new Error(`Tasker's state ${from} has no counterpart.`);
    const allowed = Object.entries(EVENTS).flatMap(([name, events]) => {
      const [move] = moveBy(runIn(state), events);
      return move === undefined ? [] : [[name, nameOf(move.run.state)] as const];
    });
    return { allowed: Object.fromEntries(allowed), count: allowed.length };
  },
  expected: (given: StepTransitionsCase) => ({
    ...pick(given, ['allowed']),
    count: Object.keys(given.allowed).length,
  }),
};

function nameOf(state: RunState): string {
  return Object.keys(STATES).find((name) => STATES[name] === state) ?? state;
}

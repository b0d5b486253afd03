import { NEW_RUN, type RunEvent, type RunRecord, transition } from '@retry/core/lifecycle';

/** Returns the run after an event; fails the test if the event is rejected. */
export function moved(run: RunRecord, event: RunEvent): RunRecord {
  const answer = transition(run, event);
  if (answer.type === 'rejected') throw new Error(`${answer.from} rejects ${answer.event}`);
  return answer.run;
}

/** Returns a new run after several events. */
export function runAfter(...events: readonly RunEvent[]): RunRecord {
  return events.reduce<RunRecord>(moved, NEW_RUN);
}

/** The events of a run's life in order, and the run after the first two. */
export const SUBMIT = { type: 'submit', at: 100 } as const;
export const START = { type: 'start', at: 200 } as const;
export const STALL = { type: 'stall', at: 300 } as const;
export const FAIL = { type: 'fail', at: 300 } as const;

export const STARTED = {
  state: 'started',
  epoch: 1,
  resetEpoch: 0,
  failures: 0,
  stalls: 0,
  releases: 0,
  rateLimits: 0,
  redrives: 0,
  carried: 0,
  createdAt: 100,
  submittedAt: 100,
  firstStartedAt: 200,
  startedAt: 200,
  heartbeatAt: 200,
  runAt: 100,
};

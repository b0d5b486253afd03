import type { RunEventType, RunState } from '@retry/core/lifecycle';

/** The counters that an arrow may raise. */
export type Counter = 'epoch' | 'failures' | 'stalls' | 'releases' | 'rateLimits' | 'redrives';

/** The state before, the event, the state after, and the counters that grow. */
export type ExpectedArrow = readonly [RunState, RunEventType, RunState, Partial<Record<Counter, 1>>];

/** The lifecycle written a second time, by hand: the table in core must agree with it. */
export const EXPECTED_ARROWS: readonly ExpectedArrow[] = [
  ['unsubmitted', 'submit', 'submitted', {}],
  ['unsubmitted', 'submit', 'scheduled', {}],
  ['scheduled', 'promote', 'submitted', {}],
  ['scheduled', 'reschedule', 'submitted', {}],
  ['scheduled', 'reschedule', 'scheduled', {}],
  ['scheduled', 'cancel', 'cancelled', {}],
  ['scheduled', 'end', 'completed', {}],
  ['scheduled', 'end', 'failed', {}],
  ['submitted', 'start', 'started', { epoch: 1 }],
  ['submitted', 'reschedule', 'submitted', {}],
  ['submitted', 'reschedule', 'scheduled', {}],
  ['submitted', 'cancel', 'cancelled', {}],
  ['submitted', 'end', 'completed', {}],
  ['submitted', 'end', 'failed', {}],
  ['submitted', 'drop', 'dropped', {}],
  ['submitted', 'limit', 'scheduled', { rateLimits: 1 }],
  ['submitted', 'limit', 'rateLimited', {}],
  ['started', 'heartbeat', 'started', {}],
  ['started', 'complete', 'completed', {}],
  ['started', 'retry', 'submitted', { failures: 1 }],
  ['started', 'retry', 'scheduled', { failures: 1 }],
  ['started', 'fail', 'failed', { failures: 1 }],
  ['started', 'release', 'submitted', { releases: 1 }],
  ['started', 'release', 'scheduled', { releases: 1 }],
  ['started', 'limit', 'scheduled', { releases: 1, rateLimits: 1 }],
  ['started', 'limit', 'rateLimited', { releases: 1 }],
  ['started', 'stall', 'stalled', { stalls: 1 }],
  ['started', 'cancel', 'cancelled', {}],
  ['started', 'drop', 'dropped', { releases: 1 }],
  ['stalled', 'recover', 'submitted', {}],
  ['stalled', 'recover', 'scheduled', {}],
  ['stalled', 'giveUp', 'failed', {}],
  ['failed', 'redrive', 'submitted', { redrives: 1 }],
  ['failed', 'redrive', 'scheduled', { redrives: 1 }],
  ['stalled', 'redrive', 'submitted', { redrives: 1 }],
  ['stalled', 'redrive', 'scheduled', { redrives: 1 }],
  ['rateLimited', 'redrive', 'submitted', { redrives: 1 }],
  ['rateLimited', 'redrive', 'scheduled', { redrives: 1 }],
];

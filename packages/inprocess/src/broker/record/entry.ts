import type { Run } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker/kit';
import type { RunEvent, RunState, StateAfter } from '@retry/core/lifecycle';
import type { Entry, Lane } from './store.ts';

/** Creates an entry that is in no list yet. */
export function createEntry(run: Run, lane: Lane): Entry {
  return {
    run,
    lane,
    location: 'none',
    hasSlot: false,
    hasLaneSlot: false,
    parking: undefined,
    isKeyed: false,
    readRun: undefined,
    reading: 0,
    keepResultMs: undefined,
    rank: 0,
    order: 0,
    index: 0,
    previous: undefined,
    next: undefined,
  };
}

/** Returns the run after an event that its state allows. */
export function move<Event extends RunEvent>(
  run: Run,
  event: Event,
): Run<StateAfter<RunState, Event['type']>> {
  const moved = transitionRun(run, event);
  if (moved.type === 'rejected') {
    throw new Error(`run ${run.id} is ${moved.from}, which does not allow ${moved.event}`);
  }
  return moved.run;
}

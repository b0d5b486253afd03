import type { Run } from '@retry/core/broker';
import { transitionRun } from '@retry/core/broker';
import type { RunEvent, RunState, StateAfter } from '@retry/core/lifecycle';
import type { Linked } from './deque.ts';
import type { Ranked } from './heap.ts';
import type { Lane } from './lanes.ts';

/** Where an entry stands: the ready list of its lane, put aside for its concurrency key, and so on. */
export type Place = 'none' | 'ready' | 'returned' | 'parked' | 'scheduled' | 'leased' | 'awaited' | 'ended';

/**
 * A run and the place where it stands. In a heap its rank is what it waits for there: `runAt` in the schedule,
 * the end of the lease among the leases, the end of the waiting among the awaited results.
 */
export interface Entry extends Linked<Entry>, Ranked {
  /** Replaced, never changed: what was handed out stays as it was. */
  run: Run;
  readonly lane: Lane;
  place: Place;
  /** Whether it takes one of the starts that its concurrency key allows. */
  holdsKey: boolean;
  /** Its id is a name that the caller gave: it outlives the run. */
  isKeyed: boolean;
  /** How long after its end its result waits to be collected; `undefined` when no caller waits for it. */
  keepResultMs: number | undefined;
}

/** An entry that stands nowhere yet. */
export function createEntry(run: Run, lane: Lane): Entry {
  return {
    run,
    lane,
    place: 'none',
    holdsKey: false,
    isKeyed: false,
    keepResultMs: undefined,
    rank: 0,
    order: 0,
    index: 0,
    previous: undefined,
    next: undefined,
  };
}

/** The run after a move that its state allows. */
export function move<Event extends RunEvent>(
  run: Run,
  event: Event,
): Run<StateAfter<RunState, Event['type']>> {
  const moved = transitionRun(run, event);
  if (moved.type === 'rejected')
    throw new Error(`run ${run.id} is ${moved.from}: no ${moved.event} from there`);
  return moved.run;
}

import type { ErrorGroupName, Run } from '@retry/core/broker';
import { freeSlot, unpark } from './concurrency-keys.ts';
import { endRun } from './ended-runs.ts';
import { takeOut } from './lanes.ts';
import type { Entry, Store } from './store.ts';

/** How a waiting run ends, and what is answered then. */
interface Ending<Done> {
  readonly done: Done;
  readonly end: (run: Run) => Run;
  readonly group?: ErrorGroupName | undefined;
}

/** Ends a waiting run, or leaves a cancel request for the worker of a started one. */
export function endWaiting<Done>(
  store: Store,
  id: string,
  { done, end, group }: Ending<Done>,
): Done | 'requested' | 'ended' | 'gone' {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.location === 'ended' || entry.location === 'awaited') return 'ended';
  if (entry.location === 'leased') {
    requestCancel(store, entry);
    return 'requested';
  }
  removeWaiting(store, entry);
  freeSlot(store, entry);
  entry.run = end(entry.run);
  endRun(store, entry, group);
  return done;
}

function requestCancel(store: Store, entry: Entry): void {
  entry.run = { ...entry.run, isCancelRequested: true };
  for (const listener of store.cancelListeners) listener(entry.run.id);
}

/** Removes a waiting run from its lane, its schedule, or the runs that wait for a slot. */
export function removeWaiting(store: Store, entry: Entry): void {
  if (entry.location !== 'parked') takeOut(entry);
  unpark(store, entry);
}

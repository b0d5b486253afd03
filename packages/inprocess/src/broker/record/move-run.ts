import type { ErrorGroupName, Run } from '@retry/core/broker';
import { changedRun } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { freeSlot, unpark } from './concurrency-keys.ts';
import { endRun, removeEnded } from './ended-runs.ts';
import { enqueueBack, schedule, takeOut } from './lanes.ts';
import type { Entry, Store } from './store.ts';

/**
 * Makes of a run that no worker holds what it is to be. What follows from the difference of the two is derived here: where the run is,
 * its slot and its error group.
 */
export function moveRun(
  store: Store,
  entry: Entry,
  { next, group }: { readonly next: Run; readonly group?: ErrorGroupName | undefined },
): void {
  if (isEnd(entry.run.state)) removeEnded(store, entry);
  else removeWaiting(store, entry);
  if (isEnd(next.state)) freeSlot(store, entry);
  entry.run = changedRun(entry.run, next);
  if (isEnd(next.state)) endRun(store, entry, group);
  else if (next.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
}

/** Removes a waiting run from its lane, its schedule, or the runs that wait for a slot. */
function removeWaiting(store: Store, entry: Entry): void {
  if (entry.location !== 'parked') takeOut(store, entry);
  unpark(store, entry);
}

import { unpark } from './concurrency-keys.ts';
import { takeOut } from './lanes.ts';
import type { Entry, Store } from './store.ts';

/** Removes a waiting run from its lane, its schedule, or the runs that wait for a slot. */
export function removeWaiting(store: Store, entry: Entry): void {
  if (entry.location !== 'parked') takeOut(store, entry);
  unpark(store, entry);
}

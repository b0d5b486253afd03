import { refill, takeOffer, unpark } from './concurrency-keys.ts';
import { takeOut } from './lanes.ts';
import type { Entry, Store } from './store.ts';

/** Removes a waiting run from its lane, its schedule, or the runs that wait for its concurrency key. */
export function removeWaiting(store: Store, entry: Entry): void {
  const { location } = entry;
  const { concurrency } = entry.run;
  if (concurrency !== undefined && location === 'parked') {
    unpark(store, entry, concurrency);
    return;
  }
  takeOut(entry);
  if (concurrency === undefined || location !== 'returned') return;
  takeOffer(store, entry, concurrency);
  refill(store, concurrency.key);
}

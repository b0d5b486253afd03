import type { Entry, Store } from './store.ts';

/** Returns what a run is recognised by until it is moved. A run is replaced, never changed: each has a number of its own. */
export function seenOf(store: Store, entry: Entry): string {
  // Not by a map of runs, whose weak keys make every collection of garbage longer.
  if (entry.readRun !== entry.run) {
    entry.readRun = entry.run;
    entry.reading = store.readings += 1;
  }
  return `${entry.reading}`;
}

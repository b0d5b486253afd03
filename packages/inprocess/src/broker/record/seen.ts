import type { Run } from '@retry/core/broker';
import type { Store } from './store.ts';

/** Returns what a run is recognised by until it is moved. A run is replaced, never changed: each has a text of its own. */
export function seenOf(store: Store, run: Run): string {
  const known = store.seen.get(run);
  if (known !== undefined) return known;
  store.readings += 1;
  const seen = `${store.readings}`;
  store.seen.set(run, seen);
  return seen;
}

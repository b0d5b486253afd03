import type { Reading } from '@retry/core/broker';
import { runToChange } from '@retry/core/broker/kit';
import { seenOf } from '../record/seen.ts';
import type { Store } from '../record/store.ts';

/** Returns the runs of these ids, with what they are recognised by when they are changed. */
export function readRuns(store: Store, ids: readonly string[], now: number): Reading {
  const runs = ids.map((id) => {
    const entry = store.entries.get(id);
    return entry && { run: runToChange(entry.run), seen: seenOf(store, entry) };
  });
  return { now, runs };
}

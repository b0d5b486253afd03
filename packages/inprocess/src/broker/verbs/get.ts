import type { GetOptions, Reading, Run } from '@retry/core/broker';
import { runToChange } from '@retry/core/broker/kit';
import { releaseResult } from '../record/ended-runs.ts';
import type { Store } from '../record/store.ts';
import { seenOf } from '../record/store.ts';

/** Returns the run of this id. `collect`: its result has been read, and need not be kept for a caller any longer. */
export function getRun(store: Store, id: string, { collect = false }: GetOptions = {}): Run | undefined {
  const entry = store.entries.get(id);
  if (collect && entry?.location === 'awaited') releaseResult(store, entry);
  return entry?.run;
}

/** Returns the runs of these ids, with what they are recognised by when they are changed. */
export function readRuns(store: Store, ids: readonly string[], now: number): Reading {
  const runs = ids.map((id) => {
    const entry = store.entries.get(id);
    return entry && { run: runToChange(entry.run), seen: seenOf(store, entry) };
  });
  return { now, runs };
}

import type { Reading, Run } from '@retry/core/broker';
import { seenOf } from '../record/seen.ts';
import type { Store } from '../record/store.ts';
import { withoutPayload } from './list.ts';

/** Returns the runs of these ids, with what they are recognised by when they are changed. */
export function readRuns(store: Store, ids: readonly string[], now: number): Reading {
  const runs = ids.map((id) => {
    const entry = store.entries.get(id);
    return entry && { run: readRun(entry.run), seen: seenOf(store, entry) };
  });
  return { now, runs };
}

function readRun(run: Run): Run {
  const isTrimmed = run.trimmed?.includes('payload');
  return isTrimmed ? { ...withoutPayload(run), trimmed: ['payload'] } : withoutPayload(run);
}

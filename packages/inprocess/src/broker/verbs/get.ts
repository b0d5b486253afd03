import type { GetOptions, Run } from '@retry/core/broker';
import { releaseResult } from '../record/ended-runs.ts';
import type { Store } from '../record/store.ts';

/** Returns the run of this id. `collect`: its result has been read, and need not be kept for a caller any longer. */
export function getRun(store: Store, id: string, { collect = false }: GetOptions = {}): Run | undefined {
  const entry = store.entries.get(id);
  if (collect && entry?.location === 'awaited') releaseResult(store, entry);
  return entry?.run;
}

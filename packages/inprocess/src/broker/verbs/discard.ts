import type { DiscardAnswer, DiscardOptions } from '@retry/core/broker';
import { forget } from '../record/ended-runs.ts';
import type { Store } from '../record/store.ts';

/** Removes an ended run for good. */
export function discardRun(
  store: Store,
  id: string,
  { endedBefore = Infinity }: DiscardOptions = {},
): DiscardAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.location !== 'ended' && entry.location !== 'awaited') return 'refused';
  if ((entry.run.endedAt ?? 0) >= endedBefore) return 'refused';
  forget(store, entry);
  return 'discarded';
}

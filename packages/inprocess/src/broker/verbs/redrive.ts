import type { RedriveAnswer, RedriveOptions } from '@retry/core/broker';
import { isDeadLetter, removeEnded } from '../record/ended-runs.ts';
import { move } from '../record/entry.ts';
import { enqueueBack } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';

/** Sends a dead letter back to its lane. */
export function redriveRun(
  store: Store,
  id: string,
  { now, keepAttempts = false }: RedriveOptions & { readonly now: number },
): RedriveAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (!isDeadLetter(entry.run.state)) return 'refused';
  removeEnded(store, entry);
  const run = move(entry.run, { type: 'redrive', at: now, keepAttempts });
  // Errors and the previous delay are those since the last reset, which this is.
  entry.run = keepAttempts ? run : { ...run, errors: [], previousDelayMs: undefined };
  enqueueBack(store, entry);
  return 'redriven';
}

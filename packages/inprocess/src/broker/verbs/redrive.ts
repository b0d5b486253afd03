import type { RedriveAnswer, RedriveOptions } from '@retry/core/broker';
import { keepableMs } from '@retry/core/broker/kit';
import { isDeadLetter } from '@retry/core/lifecycle';
import { removeEnded } from '../record/ended-runs.ts';
import { move } from '../record/entry.ts';
import { enqueueBack, schedule } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';

/** Sends a dead letter back to its lane, or onto the schedule. */
export function redriveRun(
  store: Store,
  id: string,
  { now, keepAttempts = false, runAts, endedBefore = Infinity }: RedriveOptions & { readonly now: number },
): RedriveAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  const { state, endedAt = 0, trimmed } = entry.run;
  // Without its payload it cannot run again.
  if (!isDeadLetter(state) || endedAt >= endedBefore || trimmed?.includes('payload')) return 'refused';
  removeEnded(store, entry);
  const run = move(entry.run, {
    type: 'redrive',
    at: now,
    runAt: keepableMs(runAts?.get(id) ?? now),
    keepAttempts,
  });
  // Errors and the previous delay are those since the last reset, which this is.
  const next = { ...run, errorGroup: undefined };
  entry.run = keepAttempts ? next : { ...next, errors: [], previousDelayMs: undefined };
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
  return 'redriven';
}

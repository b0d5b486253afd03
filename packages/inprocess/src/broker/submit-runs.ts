import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { newRun } from '@retry/core/broker';
import { createEntry, move } from './entry.ts';
import { enqueueBack, laneOf, schedule } from './lanes.ts';
import type { Store } from './store.ts';

/** Keeps a new run, in its lane or in the schedule. */
export function submitRun(store: Store, submission: Submission, now: number): SubmitAnswer {
  const { id, lane, runAt = now, delayMs = 0 } = submission;
  if (store.entries.has(id)) return 'exists';
  const event = { type: 'submit', at: now, runAt: Math.max(runAt, now + delayMs) } as const;
  const entry = createEntry(move(newRun(submission), event), laneOf(store, lane));
  store.entries.set(id, entry);
  store.submitted++;
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
  return 'created';
}

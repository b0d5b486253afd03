import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { carrySpent, keepableMs, newRun } from '@retry/core/broker/kit';
import { createEntry, move } from '../record/entry.ts';
import { enqueueBack, laneOf, schedule } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';
import { takeKey } from './submit/unique.ts';

/** Keeps a new run, in its lane or in the schedule, unless its id is known or another run has its unique key. */
export function submitRun(store: Store, submission: Submission, now: number): SubmitAnswer {
  const { id, unique } = submission;
  if (store.entries.has(id) || (store.forgottenKeys.get(id) ?? 0) > now) return 'exists';
  const answer = unique === undefined ? 'created' : takeKey(store, submission, unique, now);
  if (answer === 'created' || answer.type === 'replaced') addRun(store, submission, now);
  return answer;
}

function addRun(store: Store, submission: Submission, now: number): void {
  const { id, lane, runAt = now, delayMs = 0, spent } = submission;
  const dueAt = keepableMs(Math.max(runAt, now + delayMs));
  const event = { type: 'submit', at: now, runAt: dueAt } as const;
  const run = newRun(submission);
  carrySpent(run, spent);
  const entry = createEntry(move(run, event), laneOf(store, lane));
  entry.isKeyed = submission.keyed === true;
  entry.keepResultMs = submission.keepResultMs;
  store.forgottenKeys.delete(id);
  store.entries.set(id, entry);
  store.created++;
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
}

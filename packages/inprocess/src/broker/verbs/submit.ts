import type { Submission, SubmitAnswer } from '@retry/core/broker';
import { submittedRun } from '@retry/core/broker/kit';
import { createEntry } from '../record/entry.ts';
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
  const { id, lane, keyed, keepResultMs } = submission;
  const entry = createEntry(submittedRun(submission, now), laneOf(store, lane));
  entry.isKeyed = keyed === true;
  entry.keepResultMs = keepResultMs;
  store.forgottenKeys.delete(id);
  store.entries.set(id, entry);
  store.created++;
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
}

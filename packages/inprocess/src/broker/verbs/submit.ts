import type { KeyAnswer, Run, Submission, SubmitAnswer, Unique } from '@retry/core/broker';
import type { KeyHolder } from '@retry/core/broker/kit';
import { hasKey, KEYS_LOOKED_AT, keyHolder, movedRun, submittedRun } from '@retry/core/broker/kit';
import { enqueueBack, laneOf, schedule } from '../record/lanes.ts';
import { moveRun } from '../record/move-run.ts';
import type { Store } from '../record/store.ts';
import { createEntry } from '../record/store.ts';

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
  entry.lane.runCount++;
  store.created++;
  if (entry.run.state === 'scheduled') schedule(store, entry);
  else enqueueBack(store, entry);
}

/** Gives a unique key to a run that is about to be added, or returns that another run keeps it. */
function takeKey(store: Store, submission: Submission, unique: Unique, now: number): 'created' | KeyAnswer {
  forgetFreeKeys(store, now);
  const holder = holderOf(store, unique.key, now);
  if (holder !== undefined && unique.onConflict === 'keep') return { type: 'kept', id: holder.id };
  giveKey(store, submission, unique, now);
  const other = holder && store.entries.get(holder.id);
  if (other === undefined || !isWaiting(other.run)) return 'created';
  moveRun(store, other, { next: movedRun(other.run, { type: 'cancel', at: now }) });
  return { type: 'replaced', id: other.run.id };
}

function isWaiting({ state }: Run): boolean {
  return state === 'submitted' || state === 'scheduled';
}

/** Returns which run has the key; `undefined` when it is free. */
function holderOf(store: Store, key: string, now: number): KeyHolder | undefined {
  const holder = store.uniqueKeys.get(key);
  if (holder === undefined) return undefined;
  if (hasKey(holder, store.entries.get(holder.id)?.run, now)) return holder;
  store.uniqueKeys.delete(key);
  return undefined;
}

/** Gives the key to a run that is submitted now. */
function giveKey(store: Store, { id }: Submission, unique: Unique, now: number): void {
  store.uniqueKeys.delete(unique.key);
  store.uniqueKeys.set(unique.key, keyHolder(id, unique, now));
}

/**
 * Looks at the keys that have not been looked at for longest, and forgets the free ones. Each submission adds one key at most and
 * looks at two, so that of the keys kept no more than about half are free.
 */
function forgetFreeKeys(store: Store, now: number): void {
  const { uniqueKeys } = store;
  let left = KEYS_LOOKED_AT;
  for (const [key, holder] of uniqueKeys) {
    if (left-- === 0) return;
    uniqueKeys.delete(key);
    if (hasKey(holder, store.entries.get(holder.id)?.run, now)) uniqueKeys.set(key, holder);
  }
}

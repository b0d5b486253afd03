import type { KeyAnswer, Run, Submission, Unique } from '@retry/core/broker';
import { movedRun } from '@retry/core/broker/kit';
import { moveRun } from '../../record/move-run.ts';
import type { Store } from '../../record/store.ts';
import { forgetFreeKeys, giveKey, holderOf } from '../../record/unique-keys.ts';

/** Gives a unique key to a run that is about to be added, or returns that another run keeps it. */
export function takeKey(
  store: Store,
  submission: Submission,
  unique: Unique,
  now: number,
): 'created' | KeyAnswer {
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

import type { KeyAnswer, Submission, Unique } from '@retry/core/broker';
import type { Store } from '../../record/store.ts';
import { forgetFreeKeys, giveKey, holderOf } from '../../record/unique-keys.ts';
import { cancelRun } from '../cancel.ts';

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
  if (holder === undefined || !isWaiting(store, holder.id)) return 'created';
  cancelRun(store, holder.id, now);
  return { type: 'replaced', id: holder.id };
}

function isWaiting({ entries }: Store, id: string): boolean {
  const state = entries.get(id)?.run.state;
  return state === 'submitted' || state === 'scheduled';
}

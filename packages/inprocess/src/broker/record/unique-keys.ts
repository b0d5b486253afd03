import type { Submission, Unique } from '@retry/core/broker';
import type { KeyHolder } from '@retry/core/broker/kit';
import { hasKey, KEYS_LOOKED_AT, keyHolder } from '@retry/core/broker/kit';
import type { Store } from './store.ts';

/** Returns which run has the key; `undefined` when it is free. */
export function holderOf(store: Store, key: string, now: number): KeyHolder | undefined {
  const holder = store.uniqueKeys.get(key);
  if (holder === undefined) return undefined;
  if (hasKey(holder, store.entries.get(holder.id)?.run, now)) return holder;
  store.uniqueKeys.delete(key);
  return undefined;
}

/** Gives the key to a run that is submitted now. */
export function giveKey(store: Store, { id }: Submission, unique: Unique, now: number): void {
  store.uniqueKeys.delete(unique.key);
  store.uniqueKeys.set(unique.key, keyHolder(id, unique, now));
}

/**
 * Looks at the keys that have not been looked at for longest, and forgets the free ones. Each submission adds one key at most and
 * looks at two, so that of the keys kept no more than about half are free.
 */
export function forgetFreeKeys(store: Store, now: number): void {
  const { uniqueKeys } = store;
  let left = KEYS_LOOKED_AT;
  for (const [key, holder] of uniqueKeys) {
    if (left-- === 0) return;
    uniqueKeys.delete(key);
    if (hasKey(holder, store.entries.get(holder.id)?.run, now)) uniqueKeys.set(key, holder);
  }
}

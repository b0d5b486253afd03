import type { CancelAnswer, HeartbeatRequest } from '@retry/core/broker';
import { freeSlot } from '../record/concurrency-keys.ts';
import { endRun } from '../record/ended-runs.ts';
import { move } from '../record/entry.ts';
import type { Entry, Store } from '../record/store.ts';
import { removeWaiting } from '../record/waiting.ts';

/** Cancels a waiting run, or leaves a cancel request for the worker of a started one. */
export function cancelRun(store: Store, id: string, now: number): CancelAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.location === 'ended' || entry.location === 'awaited') return 'ended';
  if (entry.location === 'leased') {
    requestCancel(store, entry);
    return 'requested';
  }
  removeWaiting(store, entry);
  freeSlot(store, entry);
  entry.run = move(entry.run, { type: 'cancel', at: now });
  endRun(store, entry);
  return 'cancelled';
}

/** Leaves a cancel request for the worker of a started run. */
export function requestCancel(store: Store, entry: Entry): void {
  entry.run = { ...entry.run, isCancelRequested: true };
  for (const listener of store.cancelListeners) listener(entry.run.id);
}

/** Returns whether the holder of this lease has a cancel request. */
export function isCancelRequested(store: Store, { id, epoch }: HeartbeatRequest): boolean {
  const run = store.entries.get(id)?.run;
  return run?.state === 'started' && run.epoch === epoch && run.isCancelRequested === true;
}

/** Calls the listener for each started run that gets a cancel request; returns a function that removes it. */
export function onCancelRequest(store: Store, listener: (id: string) => void): () => void {
  store.cancelListeners.add(listener);
  return () => void store.cancelListeners.delete(listener);
}

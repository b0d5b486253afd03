import type { CancelAnswer } from '@retry/core/broker';
import { refill, takeOffer, unpark } from '../record/concurrency-keys.ts';
import { endRun } from '../record/ended-runs.ts';
import type { Entry } from '../record/entry.ts';
import { move } from '../record/entry.ts';
import { takeOut } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';

/** Cancels a run that waits, or leaves word for the worker of one that is started. */
export function cancelRun(store: Store, id: string, now: number): CancelAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.place === 'ended' || entry.place === 'awaited') return 'ended';
  if (entry.place === 'leased') {
    entry.run = { ...entry.run, isCancelRequested: true };
    for (const listener of store.cancelListeners) listener(id);
    return 'requested';
  }
  takeFromWaiting(store, entry);
  entry.run = move(entry.run, { type: 'cancel', at: now });
  endRun(store, entry);
  return 'cancelled';
}

/** Calls the listener for each started run that gets a cancel request; gives a function that takes it back. */
export function onCancelRequest(store: Store, listener: (id: string) => void): () => void {
  store.cancelListeners.add(listener);
  return () => void store.cancelListeners.delete(listener);
}

function takeFromWaiting(store: Store, entry: Entry): void {
  const { place } = entry;
  const { concurrency } = entry.run;
  if (concurrency !== undefined && place === 'parked') {
    unpark(store, entry, concurrency);
    return;
  }
  takeOut(entry);
  if (concurrency === undefined || place !== 'returned') return;
  takeOffer(store, entry, concurrency);
  refill(store, concurrency.key);
}

import type { CancelAnswer, HeartbeatRequest } from '@retry/core/broker';
import { move } from '../record/entry.ts';
import type { Store } from '../record/store.ts';
import { endWaiting } from '../record/waiting.ts';

/** Cancels a waiting run, or leaves a cancel request for the worker of a started one. */
export function cancelRun(store: Store, id: string, now: number): CancelAnswer {
  return endWaiting(store, id, { done: 'cancelled', end: (run) => move(run, { type: 'cancel', at: now }) });
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

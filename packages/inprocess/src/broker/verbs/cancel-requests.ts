import type { HeartbeatRequest } from '@retry/core/broker';
import type { Store } from '../record/store.ts';

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

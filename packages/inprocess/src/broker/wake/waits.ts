import type { WaitOptions } from '@retry/core/broker';
import { laneOf } from '../record/lanes.ts';
import type { Lane, Store } from '../record/store.ts';
import { armDueTimer, disarmDueTimer, hasWork } from './wake.ts';

/** Resolves when one of the lanes may have work; then its listeners and timers are removed. */
export function waitForWork(store: Store, names: readonly string[], wait: WaitOptions): Promise<void> {
  const lanes = names.map((name) => laneOf(store, name));
  if (wait.timeoutMs <= 0 || wait.signal?.aborted) return Promise.resolve();
  if (lanes.some((lane) => hasWork(store, lane))) return Promise.resolve();
  return new Promise((resolve) => startWaiting(store, lanes, { ...wait, resolve }));
}

/** Resolves when a run whose result is kept has ended. */
export function waitForResult(store: Store, wait: WaitOptions): Promise<void> {
  if (wait.timeoutMs <= 0 || wait.signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = startWait(store, wait, () => {
      store.resultWaits.delete(finish);
      resolve();
    });
    store.resultWaits.add(finish);
  });
}

function startWaiting(
  store: Store,
  lanes: readonly Lane[],
  { resolve, ...wait }: WaitOptions & { readonly resolve: () => void },
): void {
  const finish = startWait(store, wait, () => {
    for (const lane of lanes) leave(lane, finish);
    store.waits.delete(finish);
    resolve();
  });
  store.waits.add(finish);
  for (const lane of lanes) {
    lane.waiters.add(finish);
    if (lane.waiters.size === 1) armDueTimer(store, lane);
  }
}

/** Starts the timer and the abort listener of a wait; returns a function that ends it, as both of them do. */
function startWait({ clock }: Store, { timeoutMs, signal }: WaitOptions, onEnd: () => void): () => void {
  const finish = (): void => {
    cancelTimer?.();
    signal?.removeEventListener('abort', finish);
    onEnd();
  };
  const cancelTimer = timeoutMs < Infinity ? clock.setTimer(finish, timeoutMs) : undefined;
  signal?.addEventListener('abort', finish);
  return finish;
}

function leave(lane: Lane, finish: () => void): void {
  lane.waiters.delete(finish);
  if (lane.waiters.size === 0) disarmDueTimer(lane);
}

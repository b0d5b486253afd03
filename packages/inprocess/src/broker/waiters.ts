import type { WaitOptions } from '@retry/core/broker';
import type { Lane } from './lanes.ts';
import { laneOf } from './lanes.ts';
import type { Store } from './store.ts';
import { armDueTimer, disarmDueTimer, hasWork } from './wake.ts';

/** Resolves when one of the lanes may have work; leaves neither listener nor timer behind. */
export function waitForWork(store: Store, names: readonly string[], wait: WaitOptions): Promise<void> {
  const lanes = names.map((name) => laneOf(store, name));
  if (wait.timeoutMs <= 0 || wait.signal?.aborted) return Promise.resolve();
  if (lanes.some((lane) => hasWork(store, lane))) return Promise.resolve();
  return new Promise((resolve) => startWaiting(store, lanes, { ...wait, resolve }));
}

function startWaiting(
  store: Store,
  lanes: readonly Lane[],
  { timeoutMs, signal, resolve }: WaitOptions & { readonly resolve: () => void },
): void {
  const finish = (): void => {
    for (const lane of lanes) leave(lane, finish);
    store.waits.delete(finish);
    cancelTimer?.();
    signal?.removeEventListener('abort', finish);
    resolve();
  };
  const cancelTimer = timeoutMs < Infinity ? store.clock.setTimer(finish, timeoutMs) : undefined;
  signal?.addEventListener('abort', finish);
  store.waits.add(finish);
  for (const lane of lanes) {
    lane.waiters.add(finish);
    if (lane.waiters.size === 1) armDueTimer(store, lane);
  }
}

function leave(lane: Lane, finish: () => void): void {
  lane.waiters.delete(finish);
  if (lane.waiters.size === 0) disarmDueTimer(lane);
}

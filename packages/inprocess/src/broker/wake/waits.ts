import type { WaitForWork, WaitOptions, WaitRequest } from '@retry/core/broker';
import { startWait } from '@retry/core/broker/kit';
import { forgetEmpty, laneOf } from '../record/lanes.ts';
import type { Lane, Store } from '../record/store.ts';
import { armDueTimer, disarmDueTimer, hasWork } from './wake.ts';

/** Resolves when what is waited for may be there; then its listeners and timers are removed. */
export function waitFor(store: Store, request: WaitRequest): Promise<void> {
  if (request.timeoutMs <= 0 || request.signal?.aborted) return Promise.resolve();
  return request.lanes === undefined ? waitForResult(store, request) : waitForWork(store, request);
}

function waitForWork(store: Store, { lanes: names, ...wait }: WaitForWork): Promise<void> {
  const lanes = names.map((name) => laneOf(store, name));
  if (lanes.some((lane) => hasWork(store, lane))) {
    for (const lane of lanes) forgetEmpty(store, lane);
    return Promise.resolve();
  }
  return new Promise((resolve) => startWaiting(store, lanes, { ...wait, resolve }));
}

function waitForResult(store: Store, wait: WaitOptions): Promise<void> {
  return new Promise((resolve) => {
    const finish = startWait(store.clock, wait, () => {
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
  const finish = startWait(store.clock, wait, () => {
    for (const lane of lanes) leave(store, lane, finish);
    store.waits.delete(finish);
    resolve();
  });
  store.waits.add(finish);
  for (const lane of lanes) {
    lane.waiters.add(finish);
    if (lane.waiters.size === 1) armDueTimer(store, lane);
  }
}

function leave(store: Store, lane: Lane, finish: () => void): void {
  lane.waiters.delete(finish);
  if (lane.waiters.size === 0) disarmDueTimer(lane);
  forgetEmpty(store, lane);
}

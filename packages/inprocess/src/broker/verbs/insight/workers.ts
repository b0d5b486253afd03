import type { LiveWorker } from '@retry/core/broker';
import { compareText } from '@retry/core/broker/kit';
import type { Store } from '../../record/store.ts';

/** Returns the workers that are alive, by name. */
export function listWorkers(store: Store, now: number): readonly LiveWorker[] {
  const workers: LiveWorker[] = [];
  for (const [worker, { lanes, facts, at, until }] of store.attendances) {
    if (until <= now) continue;
    workers.push({ worker, lanes, attendedAt: at, aliveUntil: until, ...(facts !== undefined && { facts }) });
  }
  return workers.sort((left, right) => compareText(left.worker, right.worker));
}

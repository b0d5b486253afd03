import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { move } from '../record/entry.ts';
import { rerank } from '../record/heap.ts';
import type { Store } from '../record/store.ts';

/** Extends a lease to `leaseMs` from now for the worker that holds it; a lease never shrinks. For 0 ms nothing is written. */
export function extendLease(
  store: Store,
  { id, epoch }: HeartbeatRequest,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): HeartbeatAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.run.state !== 'started' || entry.run.epoch !== epoch) return 'fenced';
  if (leaseMs > 0) {
    rerank(store.leases, entry, Math.max(entry.rank, now + leaseMs));
    entry.run = move(entry.run, { type: 'heartbeat', at: now });
  }
  return entry.run.isCancelRequested === true ? 'cancel' : 'ok';
}

import type { Beat, BeatAnswer } from '@retry/core/broker';
import { move } from '../record/entry.ts';
import { rerank } from '../record/heap.ts';
import type { Store } from '../record/store.ts';

/** Extends a lease to `leaseMs` from now for the worker that holds it; a lease never shrinks. */
export function extendLease(
  store: Store,
  { id, epoch }: Beat,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): BeatAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.run.state !== 'started' || entry.run.epoch !== epoch) return 'fenced';
  rerank(store.leases, entry, Math.max(entry.rank, now + leaseMs));
  entry.run = move(entry.run, { type: 'heartbeat', at: now });
  return entry.run.isCancelRequested === true ? 'cancel' : 'ok';
}

import type { Beat, BeatAnswer, Run } from '@retry/core/broker';
import { move } from './entry.ts';
import { peekUpTo, rerank } from './heap.ts';
import type { Store } from './store.ts';

/** Extends a lease to `leaseMs` from now, if whoever asks still holds it; it never shrinks. */
export function beat(
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

/** Started runs whose lease has run out, longest ago first. */
export function findExpiredRuns(store: Store, limit: number, now: number): readonly Run[] {
  return peekUpTo(store.leases, now, limit).map(({ run }) => run);
}

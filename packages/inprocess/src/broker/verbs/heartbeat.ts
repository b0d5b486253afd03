import type { HeartbeatAnswer, HeartbeatRequest } from '@retry/core/broker';
import { answerHeartbeat, movedRun } from '@retry/core/broker/kit';
import { rerank } from '../record/heap.ts';
import type { Store } from '../record/store.ts';

/** Extends a lease to `leaseMs` from now for the worker that holds it; a lease never shrinks. For 0 ms nothing is written. */
export function extendLease(
  store: Store,
  request: HeartbeatRequest,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): HeartbeatAnswer {
  const entry = store.entries.get(request.id);
  const answer = answerHeartbeat(entry?.run, request);
  if (entry === undefined || answer === 'fenced' || leaseMs <= 0) return answer;
  rerank(store.leases, entry, Math.max(entry.rank, now + leaseMs));
  entry.run = movedRun(entry.run, { type: 'heartbeat', at: now });
  return answer;
}

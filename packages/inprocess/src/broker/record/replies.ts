import type { Claim, ClaimedRun } from '@retry/core/broker';
import type { Store } from './store.ts';

/** A worker has up to two exchanges under way; the rest is for those that come late. */
const REPLIES_PER_WORKER = 4;

/** Beyond it, the worker that has claimed nothing for longest is forgotten. */
const WORKERS = 1_000;

/** What an earlier claim with this request got, if it got anything. */
export function recallReply(store: Store, { worker, requestId }: Claim): readonly ClaimedRun[] | undefined {
  return store.replies.get(worker)?.get(requestId);
}

/** Keeps what a claim got, so that a lost reply can be asked for again. Nothing is not worth it. */
export function rememberReply(store: Store, claim: Claim, claimed: readonly ClaimedRun[]): void {
  if (claimed.length === 0) return;
  const ofWorker = store.replies.get(claim.worker) ?? new Map<string, readonly ClaimedRun[]>();
  ofWorker.set(claim.requestId, claimed);
  dropOldest(ofWorker, REPLIES_PER_WORKER);
  // Put in anew, so that the workers stand in the order of their latest claims.
  store.replies.delete(claim.worker);
  store.replies.set(claim.worker, ofWorker);
  dropOldest(store.replies, WORKERS);
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

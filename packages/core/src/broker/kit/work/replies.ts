import type { Claim, ClaimedRun } from '../../exchange.ts';

/** The replies to the latest claims of each worker, by request; the worker whose latest claim is the oldest comes first. */
export type Replies = Map<string, Map<string, readonly ClaimedRun[]>>;

/** A worker has up to two claims on their way; the others are for late repetitions. */
const MAX_REPLIES_PER_WORKER = 4;

/** Beyond this number, the worker whose latest claim is the oldest is forgotten. */
const MAX_WORKERS = 1_000;

/** Returns the reply to an earlier claim of the same request. */
export function recallReply(
  replies: Replies,
  { worker, requestId }: Claim,
): readonly ClaimedRun[] | undefined {
  return replies.get(worker)?.get(requestId);
}

/** Keeps the reply to a claim, so that a lost one can be asked for again. An empty reply is not kept. */
export function rememberReply(replies: Replies, claim: Claim, claimed: readonly ClaimedRun[]): void {
  if (claimed.length === 0) return;
  const ofWorker = replies.get(claim.worker) ?? new Map<string, readonly ClaimedRun[]>();
  ofWorker.set(claim.requestId, claimed);
  dropOldest(ofWorker, MAX_REPLIES_PER_WORKER);
  // Deleted and set again, so that the map is in the order of the workers' latest claims.
  replies.delete(claim.worker);
  replies.set(claim.worker, ofWorker);
  dropOldest(replies, MAX_WORKERS);
}

function dropOldest(map: Map<string, unknown>, limit: number): void {
  if (map.size <= limit) return;
  for (const key of map.keys()) {
    map.delete(key);
    return;
  }
}

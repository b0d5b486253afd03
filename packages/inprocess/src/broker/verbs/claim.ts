import type { Claim, ClaimedRun } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes } from '@retry/core/broker';
import { holdKey, isFull, park, takeOffer } from '../record/concurrency-keys.ts';
import type { Entry } from '../record/entry.ts';
import { move } from '../record/entry.ts';
import { push } from '../record/heap.ts';
import type { Lane } from '../record/lanes.ts';
import { nextOf, promoteDue, takeOut } from '../record/lanes.ts';
import { recallReply, rememberReply } from '../record/replies.ts';
import type { Store } from '../record/store.ts';

/** So many due runs of a lane are promoted by one claim, so that a herd that is due at once stalls nobody. */
const PROMOTED_AT_ONCE = 1_000;

/** What the runs of one claim have in common. */
interface Lease {
  readonly now: number;
  readonly leaseUntil: number;
}

/** Starts what is next in the lanes; the same request again gets what it got before. */
export function claimRuns(store: Store, claim: Claim, now: number): readonly ClaimedRun[] {
  const known = recallReply(store, claim);
  if (known !== undefined) return known;
  const claimed: ClaimedRun[] = [];
  let bytes = 0;
  const lease = { now, leaseUntil: now + claim.leaseMs };
  for (const [name, limit] of claim.lanes) {
    const lane = store.lanes.get(name);
    if (lane === undefined) continue;
    const room = Math.min(limit, claim.limit - claimed.length);
    promoteDue(store, lane, { now, limit: Math.max(room, PROMOTED_AT_ONCE) });
    for (let left = room; left > 0 && bytes < MAX_BATCH_BYTES; left--) {
      const started = startNext(store, lane, lease);
      if (started === undefined) break;
      claimed.push(started);
      bytes += runBytes(started.run);
    }
  }
  rememberReply(store, claim, claimed);
  return claimed;
}

/** When the next scheduled run of the lanes is due. */
export function nextDueAt(store: Store, names: Iterable<string>): number | undefined {
  let next: number | undefined;
  for (const name of names) {
    const dueAt = store.lanes.get(name)?.scheduled[0]?.rank;
    if (dueAt !== undefined && (next === undefined || dueAt < next)) next = dueAt;
  }
  return next;
}

function startNext(store: Store, lane: Lane, lease: Lease): ClaimedRun | undefined {
  for (let entry = nextOf(lane); entry !== undefined; entry = nextOf(lane)) {
    const { concurrency } = entry.run;
    const wasReturned = entry.place === 'returned';
    takeOut(entry);
    if (concurrency === undefined) return start(store, entry, lease);
    if (wasReturned) takeOffer(store, entry, concurrency);
    if (!isFull(store, concurrency)) {
      holdKey(store, entry, concurrency);
      return start(store, entry, lease);
    }
    if (concurrency.whenFull === 'claim') return { ...start(store, entry, lease), isOverLimit: true };
    park(store, entry, concurrency);
  }
  return undefined;
}

function start(store: Store, entry: Entry, { now, leaseUntil }: Lease): ClaimedRun {
  const run = move(entry.run, { type: 'start', at: now });
  entry.run = run;
  entry.place = 'leased';
  entry.rank = leaseUntil;
  push(store.leases, entry);
  return { run, leaseUntil, isOverLimit: false };
}

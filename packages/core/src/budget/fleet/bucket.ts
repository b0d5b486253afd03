import { addToNewest, emptySlices, shiftSlices, sumOf } from '../../sliding-window.ts';
import type { SharedBudget } from './shared-budget.ts';

/**
 * The tokens of a budget that processes share, as a store keeps them; every instant is by the store's clock. A token is here, or in a
 * lease, or spent. Those here and in leases are together at most `burst`, and only time and first attempts add to them. So, in any
 * time, at most `burst` more are spent than are added in it, whichever processes die with their leases.
 */
export interface SharedBucket {
  /** Tokens that no process has. */
  readonly tokens: number;
  /** Tokens in leases by when they were taken, newest first: tenths of a window that is a little longer than a lease. */
  readonly leased: readonly number[];
  /** The number of the newest tenth. */
  readonly slice: number;
  /** When that begins. */
  readonly slicedAt: number;
  /** Until when time has added tokens. */
  readonly refilledAt: number;
}

/** What a process gives back, and what it asks for. */
export interface Renewal {
  /** The lease that it has: how many tokens that had, and in which tenth it took them. */
  readonly held: { readonly taken: number; readonly slice: number };
  /** How many of them it has not spent. */
  readonly left: number;
  /** How many of those it may still spend until the answer: the new lease has at least as many. */
  readonly kept: number;
  /** First attempts that it has made, and not told yet. */
  readonly requests: number;
  /** How many tokens it expects to need. */
  readonly wanted: number;
}

/** What a renewal leads to. */
export interface Renewed {
  readonly bucket: SharedBucket;
  /** How many tokens the new lease has; all of them were taken in the bucket's newest tenth. */
  readonly taken: number;
}

/** What a process without retries takes of the bucket, for its first failures. */
const SPARE_SHARE = 1 / 16;

/** What a process takes of the bucket at most: others come, too. */
const MOST_SHARE = 1 / 2;

/** How many tenths of the window a lease lasts. */
const TENTHS_OF_LEASE = 9;

/** Returns a bucket of which nothing was ever taken. Leases of one that was lost know its tenths by other numbers. */
export function openBucket({ burst }: Pick<SharedBudget, 'burst'>, nowAt: number): SharedBucket {
  return { tokens: burst, leased: emptySlices(), slice: nowAt, slicedAt: nowAt, refilledAt: nowAt };
}

/** Adds what time and first attempts bring. @param nowAt - if it is earlier than before, no time counts as elapsed */
export function refillBucket(
  budget: SharedBudget,
  bucket: SharedBucket,
  { requests, nowAt }: { readonly requests: number; readonly nowAt: number },
): SharedBucket {
  const sliceMs = budget.leaseMs / TENTHS_OF_LEASE;
  // A clock that was set back begins another tenth: it ends no lease.
  let moved = nowAt < bucket.refilledAt ? { ...bucket, slicedAt: nowAt, refilledAt: nowAt } : bucket;
  for (let count = 0; count < moved.leased.length && moved.slicedAt + sliceMs <= nowAt; count += 1) {
    const until = moved.slicedAt + sliceMs;
    // Tokens of leases that have ended, and were not given back, are spent or lost: from now on others may take their place.
    const leased = shiftSlices(moved.leased, 1);
    moved = { ...refillUntil(budget, moved, until), leased, slice: moved.slice + 1, slicedAt: until };
  }
  const filled = refillUntil(budget, moved, nowAt);
  const rest = Math.floor((nowAt - filled.slicedAt) / sliceMs); // of which nothing is leased any more
  const slices = { slice: filled.slice + rest, slicedAt: filled.slicedAt + rest * sliceMs };
  return { ...filled, ...slices, tokens: tokensAfter(budget, filled, requests * budget.ratio) };
}

function refillUntil(budget: SharedBudget, bucket: SharedBucket, until: number): SharedBucket {
  const added = ((until - bucket.refilledAt) / 1_000) * budget.perSecond;
  return { ...bucket, tokens: tokensAfter(budget, bucket, added), refilledAt: until };
}

function tokensAfter({ burst }: SharedBudget, { tokens, leased }: SharedBucket, added: number): number {
  return Math.max(0, Math.min(tokens + added, burst - sumOf(leased)));
}

/** Ends a lease and begins a new one. Pure: the store keeps the new bucket only if it still has the one that was read. */
export function renewLease(
  budget: SharedBudget,
  bucket: SharedBucket,
  { renewal, nowAt }: { readonly renewal: Renewal; readonly nowAt: number },
): Renewed {
  const { requests } = renewal;
  // What was added while a token was in a lease is added before that is given back: the bucket was full with it.
  const { tokens, leased, ...rest } = giveBack(refillBucket(budget, bucket, { requests, nowAt }), renewal);
  const taken = Math.min(Math.floor(tokens), shareOf(tokens, renewal));
  return { bucket: { ...rest, tokens: tokens - taken, leased: addToNewest(leased, taken) }, taken };
}

/** A lease that is forgotten brings nothing back. */
function giveBack(bucket: SharedBucket, { held, left }: Renewal): SharedBucket {
  const index = bucket.slice - held.slice;
  const counted = bucket.leased[index];
  if (counted === undefined || counted < held.taken) return bucket;
  const leased = bucket.leased.map((count, slice) => (slice === index ? count - held.taken : count));
  return { ...bucket, leased, tokens: bucket.tokens + left };
}

function shareOf(tokens: number, { wanted, kept }: Renewal): number {
  const most = Math.max(1, Math.floor(tokens * MOST_SHARE));
  return Math.max(kept, Math.min(Math.max(wanted, Math.floor(tokens * SPARE_SHARE)), most));
}

import type { Renewal } from './bucket.ts';
import type { SharedBudget } from './shared-budget.ts';

/** Tokens of a shared budget that one process has; every instant is by its own clock. Plain data. */
export interface Lease {
  /** What it holds, as the bucket knows it. */
  readonly held: Renewal['held'];
  /** Tokens that may be spent. */
  readonly tokens: number;
  /** When they may be spent no more. */
  readonly endsAt: number;
  /** Tokens that were spent since the renewal under way was sent; absent: none is under way. */
  readonly spentSince?: number;
  /** When the next renewal may be sent. */
  readonly renewableAt: number;
  /** What has happened lately. */
  readonly lately: Lately;
}

/** Retries that were asked for and first attempts, in the present half of the time of a lease and in the one before. */
interface Lately {
  readonly since: number;
  readonly asked: readonly [now: number, before: number];
  /** Only those that the bucket was not told. */
  readonly requests: readonly [now: number, before: number];
}

/** How a renewal has ended. */
export type RenewalEnd =
  /** `sentAt` is when the bucket was asked for. */
  | { readonly type: 'renewed'; readonly held: Renewal['held']; readonly sentAt: number }
  /** The renewal has failed, or nothing says whether it has. */
  | { readonly type: 'lost' };

/** A lease is renewed when no more than this share of what it is expected to need is left. */
const LOW_SHARE = 1 / 4;

/** How long before its end a lease is renewed, as a part of its length. */
const EARLY = 1 / 10;

/** A renewal is sent at most so often, as parts of a lease: where the bucket had enough, and where it had too little. */
const REST = { plenty: 1 / 100, scarcity: 1 / 4 } as const;

/** No lease that the bucket knows. */
const UNKNOWN: Renewal['held'] = { taken: 0, slice: -Infinity };

/** Returns a lease without tokens, of a process that has done nothing yet. */
export function openLease(nowAt: number): Lease {
  const lately = { since: nowAt, asked: [0, 0], requests: [0, 0] } as const;
  return { held: UNKNOWN, tokens: 0, endsAt: nowAt, renewableAt: nowAt, lately };
}

/** Returns how many tokens may be spent. */
export function tokensOf({ tokens, endsAt }: Lease, nowAt: number): number {
  return nowAt < endsAt ? tokens : 0;
}

/** Notes a first attempt, or that a retry was asked for. */
export function noteEvent(
  budget: SharedBudget,
  lease: Lease,
  { type, nowAt }: { readonly type: 'asked' | 'requests'; readonly nowAt: number },
): Lease {
  const lately = latelyAt(budget, lease.lately, nowAt);
  const [now, before] = lately[type];
  return { ...lease, lately: { ...lately, [type]: [now + 1, before] } };
}

/** Spends a token, if there is one. */
export function spendToken(lease: Lease, nowAt: number): Lease {
  if (tokensOf(lease, nowAt) < 1) return lease;
  const { tokens, spentSince } = lease;
  return { ...lease, tokens: tokens - 1, ...(spentSince !== undefined && { spentSince: spentSince + 1 }) };
}

/** Returns whether to send a renewal now. A process that makes no calls sends none. */
export function isRenewalDue(budget: SharedBudget, lease: Lease, nowAt: number): boolean {
  if (lease.spentSince !== undefined || nowAt < lease.renewableAt) return false;
  const tokens = tokensOf(lease, nowAt + budget.leaseMs * EARLY);
  return tokens < 1 || tokens <= LOW_SHARE * neededAt(budget, lease, nowAt);
}

/** Returns whether the bucket had all that it was asked for at the latest renewal: then the next one may be sent soon. */
export function hasPlenty({ leaseMs }: SharedBudget, { endsAt, renewableAt }: Lease): boolean {
  const sentAt = endsAt - leaseMs;
  return renewableAt - sentAt < REST.scarcity * leaseMs;
}

/**
 * Begins a renewal. What it may still spend until the answer is what it would need by then.
 *
 * @param waiting - how many retries wait for the answer; it asks for a token for each of them, and for what is needed lately at least
 */
export function beginRenewal(
  budget: SharedBudget,
  lease: Lease,
  { nowAt, waiting = 0 }: { readonly nowAt: number; readonly waiting?: number },
): { readonly lease: Lease; readonly renewal: Renewal } {
  const lately = latelyAt(budget, lease.lately, nowAt);
  const { held } = lease;
  const left = tokensOf(lease, nowAt);
  const wanted = Math.max(neededAt(budget, lease, nowAt), waiting);
  const kept = Math.min(left, wanted);
  const requests = lately.requests[0] + lately.requests[1];
  const reported = { ...lately, requests: [0, 0] } as const;
  return {
    lease: { ...lease, tokens: kept, spentSince: 0, lately: reported },
    renewal: { held, left, kept, requests, wanted },
  };
}

/**
 * Ends a renewal. Where it is not known whether the store has it, what was kept stays until the old lease ends, and is given back no more:
 * the bucket counts as much for either lease.
 */
export function endRenewal(
  { leaseMs }: SharedBudget,
  { spentSince = 0, ...lease }: Lease,
  { end, wanted, nowAt }: { readonly end: RenewalEnd; readonly wanted: number; readonly nowAt: number },
): Lease {
  if (end.type === 'lost') return { ...lease, held: UNKNOWN, renewableAt: nowAt + REST.scarcity * leaseMs };
  const { held, sentAt } = end;
  const rest = held.taken >= wanted ? REST.plenty : REST.scarcity;
  return {
    ...lease,
    held,
    tokens: Math.max(0, held.taken - spentSince),
    endsAt: sentAt + leaseMs,
    renewableAt: sentAt + rest * leaseMs,
  };
}

/** How many retries are likely to be asked for in the time of half a lease or more: as many as lately. */
function neededAt(budget: SharedBudget, { lately }: Lease, nowAt: number): number {
  const [now, before] = latelyAt(budget, lately, nowAt).asked;
  return Math.max(1, now + before);
}

function latelyAt({ leaseMs }: SharedBudget, lately: Lately, nowAt: number): Lately {
  const elapsedMs = nowAt - lately.since;
  const halfMs = leaseMs / 2;
  if (elapsedMs < halfMs) return lately;
  if (elapsedMs >= 2 * halfMs) return { since: nowAt, asked: [0, 0], requests: [0, 0] };
  return {
    since: lately.since + halfMs,
    asked: [0, lately.asked[0]],
    requests: [0, lately.requests[0]],
  };
}

import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  LaneConcurrency,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import {
  answerSettlement,
  fullLimit,
  holdsOn,
  keepableMs,
  limitedByTask,
  MAX_BATCH_BYTES,
  movedRun,
  passageOf,
  recallReply,
  refuseUnsettled,
  rememberReply,
  runBytes,
  settledRun,
} from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import {
  freeLaneSlot,
  freeSlot,
  keepsSlot,
  leaveParking,
  park,
  refill,
  returnBelow,
  slotsTakenOf,
  takeLaneSlot,
  takeSlot,
} from '../record/concurrency-keys.ts';
import { endRun } from '../record/ended-runs.ts';
import { push, remove } from '../record/heap.ts';
import { noteProbe } from '../record/holds.ts';
import {
  enqueueBack,
  enqueueFront,
  nextOf,
  promoteDue,
  promoteFirst,
  schedule,
  takeOut,
  waitingIn,
} from '../record/lanes.ts';
import type { Entry, Lane, Store } from '../record/store.ts';
import { laneWorkAt } from '../wake/wake.ts';
import { submitRun } from './submit.ts';

/** One claim promotes at most this many due runs of a lane, so that many due at the same time do not delay its reply. */
const MAX_PROMOTIONS = 1_000;

/** The instants of the leases of one claim, and the limit of the task whose runs it takes. */
interface Lease {
  readonly now: number;
  readonly leaseUntil: number;
  readonly ofTask?: LaneConcurrency;
}

/** Settles runs, then claims others. */
export function exchange(store: Store, { settle = [], claim }: ExchangeRequest, now: number): ExchangeReply {
  const settled = settleRuns(store, settle, now);
  if (claim === undefined) return { settled, claimed: [], now };
  const claimed = claimRuns(store, claim, now);
  const nextRunAt = nextRunOf(store, claim.lanes.keys(), now);
  return nextRunAt === undefined ? { settled, claimed, now } : { settled, claimed, now, nextRunAt };
}

/** Writes the settlements, each from the current holder of its lease only. */
function settleRuns(store: Store, settlements: readonly Settlement[], now: number): readonly SettleAnswer[] {
  refuseUnsettled(settlements);
  const released: Entry[] = [];
  const answers = settlements.map((settlement) => {
    const entry = store.entries.get(settlement.id);
    const isExpired = entry !== undefined && entry.location === 'leased' && entry.rank <= now;
    const answer = answerSettlement(entry?.run, settlement, { isExpired });
    if (answer !== 'ok' || entry === undefined) return answer;
    writeSettlement(store, entry, { settlement, now });
    if (entry.run.state === 'submitted' && settlement.event === 'release') released.push(entry);
    else enlist(store, entry, settlement);
    if (settlement.submit !== undefined) submitRun(store, settlement.submit, now);
    return answer;
  });
  // Backwards, so that runs released together keep their order.
  for (const entry of released.reverse()) enqueueFront(store, entry);
  return answers;
}

function writeSettlement(store: Store, entry: Entry, written: { settlement: Settlement; now: number }): void {
  remove(store.leases, entry);
  entry.location = 'none';
  entry.run = settledRun(entry.run, written.settlement, written.now);
  if (isEnd(entry.run.state) || !keepsSlot(entry)) freeSlot(store, entry);
  freeLaneSlot(store, entry);
}

function enlist(store: Store, entry: Entry, { group }: Settlement): void {
  if (entry.run.state === 'submitted') enqueueBack(store, entry);
  else if (entry.run.state === 'scheduled') schedule(store, entry);
  else endRun(store, entry, group);
}

/** Starts the next runs of the lanes; a repeated request gets the same reply. */
function claimRuns(store: Store, claim: Claim, now: number): readonly ClaimedRun[] {
  const known = recallReply(store.replies, claim);
  if (known !== undefined) return known;
  const claimed: ClaimedRun[] = [];
  let bytes = 0;
  const lease = { now, leaseUntil: keepableMs(now + claim.leaseMs) };
  for (const [name, limit] of claim.lanes) {
    const lane = store.lanes.get(name);
    const passage = passageOf(holdsOn(store.holds, name), now);
    if (lane === undefined || passage === 'closed') continue;
    const room = Math.min(limit, claim.limit - claimed.length, passage === 'probe' ? 1 : Infinity);
    const due = claim.dueLimits?.get(name);
    if (due === undefined) promoteDue(store, lane, { now, limit: Math.max(room, MAX_PROMOTIONS) });
    else promoteFirst(store, lane, { now, limit: Math.min(Math.max(due, room - waitingIn(lane)), room) });
    const ofTask = claim.concurrency?.get(name);
    if (ofTask !== undefined && room > 0) returnBelow(store, lane, ofTask.limit);
    for (let left = room; left > 0 && bytes < MAX_BATCH_BYTES; left--) {
      const started = startNext(store, lane, ofTask === undefined ? lease : { ...lease, ofTask });
      if (started === undefined) break;
      claimed.push(passage === 'probe' ? { ...started, isProbe: true } : started);
      if (passage === 'probe') noteProbe(store, name, now);
      bytes += runBytes(started.run);
    }
  }
  rememberReply(store.replies, claim, claimed);
  return claimed;
}

/** Returns when one of the lanes has work next by time alone. */
function nextRunOf(store: Store, names: Iterable<string>, now: number): number | undefined {
  let next = Infinity;
  for (const name of names) {
    const lane = store.lanes.get(name);
    if (lane !== undefined) next = Math.min(next, laneWorkAt(store, lane, now));
  }
  return next === Infinity ? undefined : next;
}

function startNext(store: Store, lane: Lane, lease: Lease): ClaimedRun | undefined {
  for (let entry = nextOf(lane); entry !== undefined; entry = nextOf(lane)) {
    takeOut(store, entry);
    const parking = leaveParking(entry);
    if (lease.ofTask !== undefined) entry.run = limitedByTask(entry.run, lease.ofTask);
    const { concurrency } = entry.run;
    if (concurrency === undefined) return start(store, entry, lease);
    const slotsTaken = (key: string): number => slotsTakenOf(store, key);
    const full = fullLimit({ run: entry.run, hasSlot: entry.hasSlot, slotsTaken }, lease.ofTask);
    if (full === undefined) {
      if (!entry.hasSlot) takeSlot(store, entry, concurrency);
      if (lease.ofTask !== undefined && concurrency.key !== lane.name) takeLaneSlot(store, entry);
      return start(store, entry, lease);
    }
    if (full.whenFull === 'wait') park(store, entry, full);
    // It had the turn of its lane, and waits for its key.
    if (parking?.key === lane.name && full.key !== lane.name) passOn(store, lane, lease.ofTask);
    if (full.whenFull === 'wait') continue;
    if (full.key !== concurrency.key) refill(store, concurrency.key);
    return { ...start(store, entry, lease), isOverLimit: true };
  }
  return undefined;
}

/** Returns to a lane what waits for a slot of it: one more than before may do so. */
function passOn(store: Store, lane: Lane, ofTask: LaneConcurrency | undefined): void {
  refill(store, lane.name);
  if (ofTask !== undefined) returnBelow(store, lane, ofTask.limit);
}

function start(store: Store, entry: Entry, { now, leaseUntil }: Lease): ClaimedRun {
  const run = movedRun(entry.run, { type: 'start', at: now });
  entry.run = run;
  entry.location = 'leased';
  entry.rank = leaseUntil;
  push(store.leases, entry);
  return { run, leaseUntil, isOverLimit: false };
}

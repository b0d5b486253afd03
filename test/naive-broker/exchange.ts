import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
  Settlement,
  Submission,
} from '@retry/core/broker';
import type { Replies } from '@retry/core/broker/kit';
import {
  answerSettlement,
  fullLimit,
  holdsOn,
  limitedByTask,
  MAX_BATCH_BYTES,
  passageOf,
  recallReply,
  refuseUnsettled,
  rememberReply,
  runBytes,
  settledRun,
} from '@retry/core/broker/kit';
import type { Kept, Storage } from './storage.ts';

/** Creates the verb that settles and then claims. */
export function createExchange(
  storage: Storage,
  submitOne: (submission: Submission, now: number) => unknown,
): (request: ExchangeRequest, now: number) => ExchangeReply {
  const { runs, notes, put, move, passTurn, moveToFront, slotsTaken, inLane, workAt } = storage;
  const replies: Replies = new Map();

  function exchange({ settle = [], claim }: ExchangeRequest, now: number): ExchangeReply {
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = recallReply(replies, claim) ?? claimRuns(claim, now);
    const nextRunAt = workAt([...claim.lanes.keys()], now);
    return { settled, claimed, now, ...(nextRunAt < Infinity && { nextRunAt }) };
  }

  function settleAll(settlements: readonly Settlement[], now: number): readonly SettleAnswer[] {
    refuseUnsettled(settlements);
    const released: Kept[] = [];
    const answers = settlements.map((settlement) => {
      const kept = runs.get(settlement.id);
      const isExpired = kept !== undefined && kept.leaseUntil <= now;
      const answer = answerSettlement(kept?.run, settlement, { isExpired });
      if (answer !== 'ok' || kept === undefined) return answer;
      const end = settlement.event === 'release' ? 'front' : 'back';
      put(kept, settledRun(kept.run, settlement, now), { end, group: settlement.group });
      if (end === 'front' && kept.run.state === 'submitted') released.push(kept);
      if (settlement.submit !== undefined) submitOne(settlement.submit, now);
      return answer;
    });
    moveToFront(released);
    return answers;
  }

  function claimRuns(claim: Claim, now: number): readonly ClaimedRun[] {
    const claimed: ClaimedRun[] = [];
    let bytes = 0;
    for (const [lane, laneLimit] of claim.lanes) {
      const passage = passageOf(holdsOn(notes.all, lane), now);
      if (passage === 'closed') continue;
      let left = Math.min(laneLimit, claim.limit - claimed.length, passage === 'probe' ? 1 : Infinity);
      promote(lane, left, claim.dueLimits?.get(lane), now);
      const ofTask = claim.concurrency?.get(lane);
      const inOrder = inLane(lane, 'submitted').filter(({ turn }) => turn !== 'behind');
      for (const kept of inOrder) {
        if (left <= 0 || bytes >= MAX_BATCH_BYTES) break;
        inOrder.push(...passTurn(kept));
        if (ofTask !== undefined) kept.run = limitedByTask(kept.run, ofTask);
        const full = fullLimit({ run: kept.run, hasSlot: kept.slots.length > 0, slotsTaken }, ofTask);
        kept.waitsFor = full;
        if (full?.whenFull === 'wait') continue;
        const { key } = kept.run.concurrency ?? {};
        if (full === undefined && key !== undefined) kept.slots = ofTask === undefined ? [key] : [key, lane];
        const isProbe = passage === 'probe' && { isProbe: true };
        claimed.push({ ...start(kept, claim.leaseMs, now), isOverLimit: full !== undefined, ...isProbe });
        if (passage === 'probe') notes.probe(lane, now);
        left -= 1;
        bytes += runBytes(kept.run);
      }
    }
    rememberReply(replies, claim, claimed);
    return claimed;
  }

  function start(kept: Kept, leaseMs: number, now: number) {
    move(kept, { type: 'start', at: now });
    kept.leaseUntil = Math.floor(now + leaseMs);
    return { run: kept.run as Run<'started'>, leaseUntil: kept.leaseUntil }; // it was just started
  }

  /** Moves due runs of a lane to its back; where the claim limits them, so many to its front. */
  function promote(lane: string, room: number, limit: number | undefined, now: number): void {
    const due = inLane(lane, 'scheduled').filter(({ run }) => (run.runAt ?? 0) <= now);
    due.sort((left, right) => (left.run.runAt ?? 0) - (right.run.runAt ?? 0));
    if (limit === undefined) for (const kept of due) move(kept, { type: 'promote', at: now });
    if (limit === undefined) return;
    const unused = room - inLane(lane, 'submitted').length;
    const first = due.slice(0, Math.max(0, Math.min(room, Math.max(limit, unused))));
    for (const kept of first) move(kept, { type: 'promote', at: now }, 'front');
    moveToFront(first);
  }

  return exchange;
}

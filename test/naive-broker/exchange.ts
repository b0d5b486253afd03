import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  LaneConcurrency,
  Run,
  SettleAnswer,
  Settlement,
  Submission,
} from '@retry/core/broker';
import {
  answerSettlement,
  keepableMs,
  MAX_BATCH_BYTES,
  runBytes,
  settledBy,
  unsettledError,
} from '@retry/core/broker/kit';
import type { createGroups } from './groups.ts';
import type { Kept, Storage } from './storage.ts';
import { ENDED } from './storage.ts';

/** How many claims of a worker are answered again. */
const REPLIES_PER_WORKER = 4;

/** A run to be claimed. */
interface Choice {
  readonly kept: Kept;
  readonly isOverLimit: boolean;
  readonly isProbe: boolean;
  /** The slots that it takes: of its key, and of its lane beside that. */
  readonly takesSlot: boolean;
  readonly takesLane: boolean;
}

type Groups = Pick<ReturnType<typeof createGroups>, 'join'>;

/** Creates the verb that settles and then claims. */
export function createExchange(
  storage: Storage,
  groups: Groups,
  submitOne: (submission: Submission, now: number) => unknown,
): (request: ExchangeRequest, now: number) => ExchangeReply {
  const { runs, holds, move, finishMove, passTurn, moveToFront, slotsTaken, nextDueAt } = storage;
  const replies = new Map<string, Map<string, readonly ClaimedRun[]>>();

  function exchange({ settle = [], claim }: ExchangeRequest, now: number): ExchangeReply {
    const settled = settleAll(settle, now);
    if (claim === undefined) return { settled, claimed: [], now };
    const claimed = claimAgain(claim) ?? claimRuns(claim, now);
    const nextRunAt = nextDueAt([...claim.lanes.keys()], now);
    return { settled, claimed, now, ...(nextRunAt !== undefined && { nextRunAt }) };
  }

  function settleAll(settlements: readonly Settlement[], now: number): readonly SettleAnswer[] {
    for (const { id, next } of settlements)
      if (next.state === 'started' || next.state === 'unsubmitted') throw unsettledError(id, next.state);
    const released: Kept[] = [];
    const answers = settlements.map((settlement) => {
      const kept = runs.get(settlement.id);
      const isExpired = kept !== undefined && kept.leaseUntil <= now;
      const answer = answerSettlement(kept?.run, settlement, { isExpired });
      if (answer !== 'ok' || kept === undefined) return answer;
      write(kept, settlement, now);
      if (settlement.event === 'release' && kept.run.state === 'submitted') released.push(kept);
      if (settlement.submit !== undefined) submitOne(settlement.submit, now);
      return answer;
    });
    moveToFront(released);
    return answers;
  }

  function write(kept: Kept, { epoch, event, next, delayMs, group }: Settlement, now: number): void {
    const { lane, payload, concurrency, fairnessKey, retry, origin, context, carried, isCancelRequested } =
      kept.run;
    const dueAt = delayMs === undefined ? (next.runAt ?? now) : now + Math.max(0, delayMs);
    kept.run = {
      ...next,
      ...{ lane, payload, concurrency, fairnessKey, retry, origin, isCancelRequested: undefined },
      ...{ context, carried },
      settledBy: settledBy(epoch, event),
      runAt: next.state === 'scheduled' ? keepableMs(dueAt) : next.runAt,
    };
    finishMove(kept, event === 'release' ? 'front' : 'back');
    if (isCancelRequested && !ENDED.includes(next.state)) move(kept, { type: 'cancel', at: now });
    groups.join(kept, group);
  }

  function claimAgain({ worker, requestId }: Claim): readonly ClaimedRun[] | undefined {
    return replies.get(worker)?.get(requestId);
  }

  function claimRuns(claim: Claim, now: number): readonly ClaimedRun[] {
    const leaseUntil = Math.floor(now + claim.leaseMs);
    const claimed = choose(claim, now).map(({ kept, isOverLimit, isProbe, takesSlot, takesLane }) => {
      move(kept, { type: 'start', at: now });
      kept.leaseUntil = leaseUntil;
      Object.assign(kept, { takesSlot, takesLane });
      // It was submitted until now, so that starting it has made it started.
      if (isProbe) holds.noteProbe(kept.run.lane, now);
      const run = kept.run as Run<'started'>;
      return { run, leaseUntil, isOverLimit, ...(isProbe && { isProbe }) };
    });
    if (claimed.length > 0) remember(claim, claimed);
    return claimed;
  }

  /** Gives the waiting runs of a lane the limit of its task, but for those that have a key of their own. */
  function limitByTask(lane: string, ofTask: LaneConcurrency): void {
    for (const kept of waitingIn(lane)) {
      const { key } = kept.run.concurrency ?? { key: lane };
      if (key === lane) kept.run = { ...kept.run, concurrency: { ...kept.run.concurrency, key, ...ofTask } };
    }
  }

  function choose({ lanes, limit, concurrency: limits, dueLimits }: Claim, now: number): readonly Choice[] {
    const chosen: Choice[] = [];
    let bytes = 0;
    const taken = new Map<string, number>();
    for (const [lane, laneLimit] of lanes) {
      if (holds.heldUntil(lane, now) > now) continue;
      const ofTask = limits?.get(lane);
      const isProbe = holds.probes(lane, now);
      let left = Math.min(laneLimit, limit - chosen.length);
      if (isProbe) left = Math.min(left, 1);
      const dueLimit = dueLimits?.get(lane);
      if (dueLimit === undefined) promote(lane, now);
      else promoteFirst(lane, now, Math.min(left, Math.max(dueLimit, left - waitingIn(lane).length)));
      if (ofTask !== undefined) limitByTask(lane, ofTask);
      const inOrder = waitingIn(lane).filter(({ turn }) => turn !== 'behind');
      for (const kept of inOrder) {
        if (left <= 0 || bytes >= MAX_BATCH_BYTES) break;
        inOrder.push(...passTurn(kept));
        const { concurrency } = kept.run;
        const countOf = (key: string): number => slotsTaken(key) + (taken.get(key) ?? 0);
        const ofLane = concurrency !== undefined && concurrency.key !== lane ? ofTask : undefined;
        const isKeyFull =
          concurrency !== undefined && !kept.takesSlot && countOf(concurrency.key) >= concurrency.limit;
        const isLaneFull = ofLane !== undefined && countOf(lane) >= ofLane.limit;
        kept.laneLimit = ofLane?.limit;
        if (isKeyFull && concurrency.whenFull === 'wait') continue;
        if (isLaneFull && ofLane.whenFull === 'wait') continue;
        const isOverLimit = isKeyFull || isLaneFull;
        const takesSlot = kept.takesSlot || (concurrency !== undefined && !isOverLimit);
        const takesLane = ofLane !== undefined && !isOverLimit;
        if (takesSlot && !kept.takesSlot && concurrency !== undefined)
          taken.set(concurrency.key, (taken.get(concurrency.key) ?? 0) + 1);
        if (takesLane) taken.set(lane, (taken.get(lane) ?? 0) + 1);
        chosen.push({ kept, isOverLimit, isProbe, takesSlot, takesLane });
        left -= 1;
        bytes += runBytes(kept.run);
      }
    }
    return chosen;
  }

  function remember({ worker, requestId }: Claim, claimed: readonly ClaimedRun[]): void {
    const ofWorker = [...(replies.get(worker) ?? []), [requestId, claimed] as const];
    replies.set(worker, new Map(ofWorker.slice(-REPLIES_PER_WORKER)));
  }

  function promoteFirst(lane: string, now: number, limit: number): void {
    moveToFront(promote(lane, now, { limit, end: 'front' }));
  }

  function promote(
    lane: string,
    now: number,
    { limit, end }: { readonly limit: number; readonly end: 'front' | 'back' } = {
      limit: Infinity,
      end: 'back',
    },
  ): Kept[] {
    const due = [...runs.values()].filter(
      ({ run }) => run.lane === lane && run.state === 'scheduled' && (run.runAt ?? 0) <= now,
    );
    due.sort((left, right) => (left.run.runAt ?? 0) - (right.run.runAt ?? 0) || left.seq - right.seq);
    const promoted = due.slice(0, Math.max(limit, 0));
    for (const kept of promoted) move(kept, { type: 'promote', at: now }, end);
    return promoted;
  }

  /** Those behind turns included. */
  function waitingIn(lane: string): readonly Kept[] {
    const waiting = [...runs.values()].filter(({ run }) => run.lane === lane && run.state === 'submitted');
    return waiting.sort((left, right) => left.seq - right.seq);
  }

  return exchange;
}

import type { Claim, ClaimedRun, Run } from '@retry/core/broker';
import type { AnyTask } from '../../task/task.ts';

/** Sums of shares are not exact: ten times a tenth is less than 1. */
const TOLERANCE = 1e-9;

/** The share of one lane, and what is saved of it. */
interface LaneShare {
  readonly share: number;
  /**
   * Each start brings `share` of a token, and the start of a retry takes one; at most 1 is saved. Less than 0 where retries of a claim
   * started without the new runs that it had asked for, because lanes before had taken its room.
   */
  tokens: number;
}

/** What a claim asks of lanes. */
export interface SharedClaim extends Pick<Claim, 'limit' | 'lanes'> {
  /** How many due runs of a lane come before new ones; absent where no task of the claim has a share. */
  readonly dueLimits?: Claim['dueLimits'] | undefined;
}

/** What a claim that is under way may start of one lane. */
interface Pending {
  readonly room: number;
  readonly retries: number;
}

/** Whether an attempt of the run has failed or stalled since it was submitted, or redriven. */
export function isRetry({ failures, stalls }: Pick<Run, 'failures' | 'stalls'>): boolean {
  return failures + stalls > 0;
}

/** Whether retries of the task start apart from its new runs, by a share: they wait in the schedule, and not in the lane. */
export function isApart({ retryShare }: Pick<AnyTask, 'retryShare'>): boolean {
  return retryShare < 1;
}

/**
 * The shares of retries in the starts of one worker, for tasks with `retryShare`. Retries wait in the schedule of their lane, also once they
 * are due; each claim says how many of them come before the new runs that wait in the lane.
 *
 * Of any number of starts of a lane in a row, at most the share are retries, plus one, while new runs wait. A claim that the broker fills
 * with retries, because nothing else waits, costs nothing.
 */
export class RetryShares {
  readonly #lanes = new Map<string, LaneShare>();
  readonly #pending = new Map<SharedClaim, ReadonlyMap<string, Pending>>();

  constructor(tasks: Iterable<AnyTask>) {
    for (const task of tasks)
      if (isApart(task)) this.#lanes.set(task.lane, { share: task.retryShare, tokens: 1 });
  }

  /** Returns how many retries of each lane a claim may start before new runs; `undefined` where none of its lanes has a share. */
  dueLimits({ lanes, limit }: Pick<Claim, 'lanes' | 'limit'>): Claim['dueLimits'] {
    const limits = new Map<string, number>();
    for (const [lane, { share, tokens }] of this.#lanes) {
      const room = Math.min(lanes.get(lane) ?? 0, limit);
      const saved = tokens + this.#savedByPending(lane, share) + share * room;
      if (lanes.has(lane)) limits.set(lane, Math.max(Math.min(Math.floor(saved + TOLERANCE), room), 0));
    }
    return limits.size === 0 ? undefined : limits;
  }

  /** Notes that a claim leaves, before the answers to others. */
  noteSent(claim: SharedClaim): void {
    if (claim.dueLimits === undefined) return;
    const pending = new Map<string, Pending>();
    for (const [lane, retries] of claim.dueLimits)
      pending.set(lane, { room: Math.min(claim.lanes.get(lane) ?? 0, claim.limit), retries });
    this.#pending.set(claim, pending);
  }

  /** Notes that a claim was answered, or will not be. */
  noteAnswered(claim: SharedClaim): void {
    this.#pending.delete(claim);
  }

  /** Returns the runs that a claim returned in the order in which they are to start, retries among the new runs of their lane. */
  inOrder({ limit, dueLimits }: SharedClaim, claimed: readonly ClaimedRun[]): readonly ClaimedRun[] {
    if (dueLimits === undefined) return claimed;
    const ordered = [...claimed];
    for (const [lane, most] of dueLimits) {
      const ofLane = this.#lanes.get(lane);
      const indexes = [...claimed.keys()].filter((index) => claimed[index]?.run.lane === lane);
      if (ofLane === undefined || indexes.length === 0) continue;
      const mixed = this.#mix(
        ofLane,
        indexes.flatMap((index) => claimed[index] ?? []),
        { most, isShort: claimed.length < limit },
      );
      for (const [nth, index] of indexes.entries()) ordered[index] = mixed[nth] as ClaimedRun; // as many as there are indexes
    }
    return ordered;
  }

  #mix(
    ofLane: LaneShare,
    runs: readonly ClaimedRun[],
    { most, isShort }: { readonly most: number; readonly isShort: boolean },
  ): readonly ClaimedRun[] {
    const retries = runs.filter(({ run }) => isRetry(run));
    const others = runs.filter(({ run }) => !isRetry(run));
    // More than were asked for, or fewer runs in all: whatever waited in the lane starts now.
    const isFilled = isShort || retries.length > most;
    const mixed: ClaimedRun[] = [];
    let [nextRetry, nextOther] = [0, 0];
    while (mixed.length < runs.length) {
      ofLane.tokens += ofLane.share;
      const isTurn = ofLane.tokens >= 1 - TOLERANCE && nextRetry < retries.length;
      const retry = isTurn || nextOther === others.length ? retries[nextRetry] : undefined;
      const next = retry ?? others[nextOther];
      if (retry === undefined) nextOther += 1;
      else {
        nextRetry += 1;
        ofLane.tokens -= 1;
      }
      // After it was spent, so that nothing of what retries are due for is lost.
      ofLane.tokens = Math.min(ofLane.tokens, 1);
      if (next !== undefined) mixed.push(next);
    }
    if (isFilled) ofLane.tokens = Math.max(ofLane.tokens, 0);
    return mixed;
  }

  #savedByPending(lane: string, share: number): number {
    let saved = 0;
    for (const pending of this.#pending.values()) {
      const ofLane = pending.get(lane);
      if (ofLane !== undefined) saved += share * ofLane.room - ofLane.retries;
    }
    return saved;
  }
}

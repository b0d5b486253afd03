import type { Run } from '@retry/core/broker';
import type { LateCause } from '../../events.ts';
import { latenessOf } from '../../settle/settlement.ts';
import type { SharedClaim } from './retry-share.ts';
import { isRetry } from './retry-share.ts';

/** A claimed run that starts now; instants by the worker's clock. */
interface Start {
  readonly run: Run<'started'>;
  readonly claimedAt: number;
  readonly now: number;
}

/** A claim and the runs that it returned. */
interface AnsweredClaim {
  readonly claim: SharedClaim;
  readonly sentAt: number;
  readonly claimed: readonly { readonly run: Pick<Run, 'lane'> }[];
  /** When it was answered, and when its lanes have work next, by the broker's clock. */
  readonly now: number;
  readonly nextRunAt?: number | undefined;
}

/** A claim that returned no runs at all. */
interface EmptyAnswer {
  /** When it was sent, by the worker's clock. */
  readonly sentAt: number;
  /** When it was answered, by the broker's clock, as `nextRunAt` is. */
  readonly answeredAt: number;
  /** When a scheduled run of the lanes is due, or a hold of lanes with waiting runs ends. */
  readonly nextRunAt: number;
}

/** A claim that returned fewer runs of a lane than it asked for. */
interface Exhausted {
  /** When it was sent, by the worker's clock. */
  readonly sentAt: number;
  /** When it was answered, by the broker's clock. */
  readonly answeredAt: number;
  /** When the one before it was sent. */
  readonly before: number | undefined;
}

/** How long after it was due a run may still be missing in its lane without a cause: its submission is being committed. */
const COMMIT_MS = 100;

/** Explains why runs start late: records for each lane when it could not be claimed from, and when a claim emptied it. */
export class Lateness {
  readonly #blocked = new Map<string, { readonly cause: 'no-slot' | 'rate-limit'; at: number }>();
  /** When no lane could be claimed from, as no slot was free. */
  #allBlockedAt = -Infinity;
  /** What was in the way when the worker looked last at what it can claim. */
  #seen: { areAllBlocked: boolean; readonly blocked: string[] } = { areAllBlocked: false, blocked: [] };
  /** When the worker was woken last by nothing but the time. */
  #polledAt = -Infinity;
  /** The latest claim that left none of the lane's runs that could start. */
  readonly #exhausted = new Map<string, Exhausted>();
  /** The latest claim of the lane that returned no runs at all. */
  readonly #empty = new Map<string, EmptyAnswer>();

  /** When the latest claim was sent that left due runs in the schedule because new ones waited, by lane. */
  readonly #leftDue = new Map<string, number>();

  /** Notes that the worker looks at what it can claim. What was in the way when it last did has been so until now. */
  noteLook(at: number): void {
    if (this.#seen.areAllBlocked) this.#allBlockedAt = at;
    for (const lane of this.#seen.blocked) {
      const blocked = this.#blocked.get(lane);
      if (blocked !== undefined) blocked.at = at;
    }
    this.#seen = { areAllBlocked: false, blocked: [] };
  }

  /** Notes that the worker looks, and can claim nothing from the lane. */
  noteBlocked(lane: string, cause: 'no-slot' | 'rate-limit', at: number): void {
    this.#blocked.set(lane, { cause, at });
    this.#seen.blocked.push(lane);
  }

  /** Notes that the worker has waited for work for as long as it may: the next claim is a poll. */
  notePoll(at: number): void {
    this.#polledAt = at;
  }

  /** Notes that the worker looks, and can claim nothing, as no slot is free. */
  noteAllBlocked(at: number): void {
    this.#allBlockedAt = at;
    this.#seen.areAllBlocked = true;
  }

  /** Notes that the worker claims from now on. */
  noteBegin(at: number): void {
    this.#allBlockedAt = at;
  }

  /** Notes that a claim was answered. */
  noteClaim({ claim, sentAt, claimed, now, nextRunAt = Infinity }: AnsweredClaim): void {
    const { lanes, limit, dueLimits } = claim;
    if (dueLimits !== undefined && nextRunAt <= now)
      for (const lane of dueLimits.keys()) this.#leftDue.set(lane, sentAt);
    if (claimed.length >= limit) return;
    const empty = claimed.length === 0 ? { sentAt, answeredAt: now, nextRunAt } : undefined;
    const counts = new Map<string, number>();
    for (const { run } of claimed) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1);
    for (const [lane, limit] of lanes) {
      if ((counts.get(lane) ?? 0) < limit)
        this.#exhausted.set(lane, { sentAt, answeredAt: now, before: this.#exhausted.get(lane)?.sentAt });
      if (empty !== undefined) this.#empty.set(lane, empty);
    }
  }

  /** Returns how late a run starts, in ms, and the cause if it is late. */
  explain({ run, claimedAt, now }: Start): { readonly latenessMs: number; readonly lateBecause?: LateCause } {
    const claimedLateMs = latenessOf(run);
    const waitedMs = now - claimedAt;
    const latenessMs = claimedLateMs + waitedMs;
    if (latenessMs <= 0) return { latenessMs };
    if (waitedMs >= claimedLateMs) return { latenessMs, lateBecause: 'no-slot' };
    return { latenessMs, lateBecause: this.#causeOf(run, claimedAt - claimedLateMs, claimedLateMs) };
  }

  /** @param dueAt - when the run was due, by the worker's clock */
  #causeOf(run: Run, dueAt: number, lateMs: number): LateCause {
    const { lane, concurrency } = run;
    if (isRetry(run) && (this.#leftDue.get(lane) ?? -Infinity) >= dueAt) return 'retry-share';
    const blocked = this.#blocked.get(lane);
    const heldAt = this.#heldAt(run);
    // The last obstacle counts: a slot was free when the lane was claimed from.
    const blockedAt = Math.max(blocked?.at ?? -Infinity, this.#allBlockedAt);
    if (heldAt !== undefined && heldAt >= blockedAt && concurrency === undefined) return 'hold';
    if (concurrency !== undefined && this.#leftBehindAt(run) >= Math.max(dueAt, blockedAt))
      return 'concurrency-key';
    if (blocked !== undefined && blocked.at >= Math.max(dueAt, this.#allBlockedAt)) return blocked.cause;
    if (this.#allBlockedAt >= dueAt) return 'no-slot';
    // The worker was told of it, or of the end of another run, long after the run was due: it could not be claimed before.
    if (concurrency !== undefined && lateMs >= COMMIT_MS && this.#polledAt < dueAt) return 'concurrency-key';
    return heldAt === undefined ? 'poll' : 'hold';
  }

  /** Returns when a claim of its lane was sent, latest, that left the run there, though there was room for it. */
  #leftBehindAt({ lane, startedAt = 0 }: Run): number {
    const exhausted = this.#exhausted.get(lane);
    // What was answered when the run started is the claim that returned it.
    const isOwn = exhausted !== undefined && startedAt <= exhausted.answeredAt;
    return (isOwn ? exhausted.before : exhausted?.sentAt) ?? -Infinity;
  }

  /**
   * Returns when a claim of its lane got nothing although the run was due: well after that, or the run then started no sooner than
   * the broker had said that there is work next, which is when a hold ends.
   */
  #heldAt({ lane, runAt = 0, startedAt = 0 }: Run): number | undefined {
    const empty = this.#empty.get(lane);
    if (empty === undefined || empty.answeredAt < runAt) return undefined;
    const isHeld = empty.answeredAt >= runAt + COMMIT_MS || empty.nextRunAt <= startedAt;
    return isHeld ? empty.sentAt : undefined;
  }
}

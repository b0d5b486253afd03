import type { Claim, Run } from '@retry/core/broker';
import type { LateCause } from '../events.ts';
import { latenessOf } from '../settle/run-facts.ts';

/** A claimed run that starts now; instants by the worker's clock. */
interface Start {
  readonly run: Run<'started'>;
  readonly claimedAt: number;
  readonly now: number;
}

/** A claim and the runs that it returned. */
export interface AnsweredClaim {
  readonly claim: Pick<Claim, 'lanes' | 'limit'>;
  readonly sentAt: number;
  readonly claimed: readonly { readonly run: Pick<Run, 'lane'> }[];
}

/** Explains why runs start late: records for each lane when it could not be claimed from, and when a claim emptied it. */
export class Lateness {
  readonly #pollMs: number;
  readonly #blocked = new Map<string, { readonly cause: 'no-slot' | 'rate-limit'; readonly at: number }>();
  /** When no lane could be claimed from, as no slot was free. */
  #allBlockedAt = -Infinity;
  /** When a claim was sent that left none of the lane's runs that could start. */
  readonly #exhaustedAt = new Map<string, number>();
  /** When a claim was sent that returned no runs at all. */
  readonly #emptyAt = new Map<string, number>();

  constructor({ pollMs }: { readonly pollMs: number }) {
    this.#pollMs = pollMs;
  }

  /** Notes that nothing could be claimed from the lane at this instant. */
  noteBlocked(lane: string, cause: 'no-slot' | 'rate-limit', at: number): void {
    this.#blocked.set(lane, { cause, at });
  }

  /** Notes that nothing could be claimed at this instant, as no slot was free. */
  noteAllBlocked(at: number): void {
    this.#allBlockedAt = at;
  }

  /** Notes that a claim was answered. */
  noteClaim({ claim: { lanes, limit }, sentAt, claimed }: AnsweredClaim): void {
    if (claimed.length >= limit) return;
    const counts = new Map<string, number>();
    for (const { run } of claimed) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1);
    for (const [lane, limit] of lanes) {
      if ((counts.get(lane) ?? 0) < limit) this.#exhaustedAt.set(lane, sentAt);
      if (claimed.length === 0) this.#emptyAt.set(lane, sentAt);
    }
  }

  /** Returns how late a run starts, in ms, and the cause if it is late. */
  explain({ run, claimedAt, now }: Start): { readonly latenessMs: number; readonly lateBecause?: LateCause } {
    const claimedLateMs = latenessOf(run);
    const waitedMs = now - claimedAt;
    const latenessMs = claimedLateMs + waitedMs;
    if (latenessMs <= 0) return { latenessMs };
    if (waitedMs >= claimedLateMs) return { latenessMs, lateBecause: 'no-slot' };
    return { latenessMs, lateBecause: this.#causeOf(run, claimedAt - claimedLateMs) };
  }

  #causeOf({ lane, concurrency }: Run, dueAt: number): LateCause {
    const blocked = this.#blocked.get(lane);
    if (blocked !== undefined && blocked.at >= Math.max(dueAt, this.#allBlockedAt)) return blocked.cause;
    if (this.#allBlockedAt >= dueAt) return 'no-slot';
    if (concurrency !== undefined && (this.#exhaustedAt.get(lane) ?? -Infinity) >= dueAt)
      return 'concurrency-key';
    // Within one poll interval of its due time, a run may simply not have been in its lane yet.
    return (this.#emptyAt.get(lane) ?? -Infinity) >= dueAt + this.#pollMs ? 'hold' : 'poll';
  }
}

import type { Claim, SettleAnswer, Settlement } from '@retry/core/broker';
import type { LaneRead } from './lane-mark.ts';
import { LaneMark } from './lane-mark.ts';

/** Lanes are read in full this often, in ms, unless a full read has turned out to be slow. */
const FULL_READ_MS = 1_000;

/** Full reads take at most this part of the time. */
const FULL_READ_SHARE = 1 / 20;

/** What a quick full read takes at most, in ms: so much, and that for the bytes it brings. */
const QUICK_READ_MS = 5;
const BYTES_PER_MS = 50_000;

/** How late, in ms, a transaction may commit what it scheduled without waiting for a full read. */
const LATE_COMMIT_MS = 1_000;

/**
 * How many answered claims of a worker the server keeps although all of their runs have been settled. A worker has up to two
 * exchanges under way; the rest is for those that arrive late. The next claim makes it four.
 */
const ENDED_PER_WORKER = 3;

/**
 * How many claims of a worker, and runs of all workers, are remembered until the runs have been settled: those that others
 * settle, or transactions, stay for good. The cleaner removes the rows of claims that are dropped.
 */
const MAX_CLAIMS_PER_WORKER = 1_000;
const MAX_LEASED = 10_000;

/** Claims are remembered of this many workers: no one says that a worker has stopped. */
const MAX_WORKERS = 1_000;

/** After how many further runs, beside as many as it has, the table of claimed runs is made anew. */
const RENEWED_AFTER = 1_000;

/** A run that this client has claimed; a later claim of the same run may be answered before this one's settlement. */
export interface LeasedRun {
  readonly epoch: number;
  /** Its order in the lane, which only the reply to the claim has. */
  readonly laneSeq: number;
  /** Where its row was in the table then. */
  readonly rowAt?: string | undefined;
  /** How many bytes its payload has, if it is a long one. */
  readonly long?: number;
}

/** A claim that got runs. */
export interface AnsweredClaim {
  readonly request: string;
  /** The runs that this client has not settled yet, by id. */
  readonly leased: Map<string, LeasedRun>;
}

/** From where on one claim reads its lanes. */
export interface LaneStarts {
  readonly lanes: readonly string[];
  /** The read of each lane. */
  readonly reads: readonly LaneRead[];
  /** The schedule of a lane is read from this instant on: nothing is due before it. */
  readonly lowRunAts: readonly number[];
  readonly isFull: boolean;
}

/** When a claim was sent and answered by the client's clock, the server's clock at that time, and what it brought. */
interface ReadSpan {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly serverNow: number;
  readonly rows: readonly (string | null)[];
}

/**
 * What a client remembers of its claims: how far each lane has been emptied. Deleted rows stay in the index until no
 * snapshot can see them; a claim that begins after them takes the same time however old the oldest snapshot is. Runs that
 * appear before that point are found by a read that begins earlier: see {@link LaneMark}; or by a full read.
 */
export class ClaimMemory {
  readonly #marks = new Map<string, LaneMark>();
  readonly #lowRunAts = new Map<string, number>();
  /** The claims by worker and request, in the order in which they were answered. */
  readonly #claims = new Map<string, Map<string, AnsweredClaim>>();
  /** The latest claim that got each leased run, by its id. */
  #claimOf = new Map<string, AnsweredClaim>();
  /** How many runs were added since it was made anew. */
  #added = 0;
  #fullReadAt = 0;
  #nextFullReadAt = 0;

  /** Returns from where on to read these lanes now. */
  startsOf(lanes: Iterable<string>, now: number): LaneStarts {
    const names = [...lanes];
    const marks = names.map((lane) => this.#markOf(lane));
    const wantsFull = now >= this.#fullReadAt + FULL_READ_MS || marks.some(({ seemsEmpty }) => seemsEmpty);
    const isFull = wantsFull && now >= this.#nextFullReadAt;
    const reads = marks.map((mark) => mark.read(now, isFull));
    const lowRunAts = names.map((lane) => (isFull ? 0 : (this.#lowRunAts.get(lane) ?? 0)));
    return { lanes: names, reads, lowRunAts, isFull };
  }

  /**
   * Records a read of lanes. The rest of each lane's schedule is due from `dues` on: the next read begins there, even where
   * more is due than one claim promotes.
   */
  recordRead({ isFull, lanes }: LaneStarts, span: ReadSpan, dues: readonly (number | null)[]): void {
    for (const [index, lane] of lanes.entries()) {
      this.#lowRunAts.set(lane, Math.min(dues[index] ?? Infinity, span.serverNow - LATE_COMMIT_MS));
    }
    if (!isFull) return;
    const bytes = span.rows.reduce((sum, row) => sum + (row?.length ?? 0), 0);
    const quickMs = QUICK_READ_MS + bytes / BYTES_PER_MS;
    const slowMs = Math.max(0, span.endedAt - span.startedAt - quickMs);
    this.#fullReadAt = span.endedAt;
    this.#nextFullReadAt = span.endedAt + Math.min(slowMs / FULL_READ_SHARE, 5 * FULL_READ_MS);
  }

  /** Forgets how far these lanes have been read: runs may have returned before that point. */
  forgetLanes(lanes: Iterable<string>): void {
    for (const lane of lanes) this.#marks.delete(lane);
  }

  /** Returns the claims of this worker whose rows the server may remove once this claim is answered: all is settled. */
  replacedBy({ worker, requestId }: Claim): readonly AnsweredClaim[] {
    const claims = this.#claims.get(worker);
    if (claims === undefined || claims.has(requestId) || claims.size <= ENDED_PER_WORKER) return [];
    return [...claims.values()].slice(0, -ENDED_PER_WORKER).filter(({ leased }) => leased.size === 0);
  }

  /** Records a claim that got these runs, which no earlier claim leases any longer, and drops the claims it replaces. */
  recordClaim(
    { worker, requestId }: Claim,
    leased: AnsweredClaim['leased'],
    replaced: readonly AnsweredClaim[],
  ): void {
    const claims = this.#claims.get(worker) ?? new Map<string, AnsweredClaim>();
    if (claims.has(requestId)) return;
    const claim = { request: requestId, leased };
    this.#noteAdded(leased.size);
    for (const id of leased.keys()) {
      this.#claimOf.get(id)?.leased.delete(id);
      this.#claimOf.set(id, claim);
    }
    for (const { request } of replaced) claims.delete(request);
    claims.set(requestId, claim);
    for (const oldest of claims.values()) {
      const isTooMuch = claims.size > 1 && this.#claimOf.size > MAX_LEASED;
      if (claims.size <= MAX_CLAIMS_PER_WORKER && !isTooMuch) break;
      claims.delete(oldest.request);
      for (const id of oldest.leased.keys()) this.#claimOf.delete(id);
    }
    this.#claims.set(worker, claims);
    if (this.#claims.size > MAX_WORKERS) this.#dropFirstWorker();
  }

  /** Returns what the replies to their claims said of these runs, where this client has claimed them. */
  leasesOf(settlements: readonly Settlement[]): readonly (LeasedRun | undefined)[] {
    return settlements.map(({ id, epoch }) => {
      const run = this.#claimOf.get(id)?.leased.get(id);
      return run?.epoch === epoch ? run : undefined;
    });
  }

  /**
   * Records settlements that hold: no claim leases their runs any longer. The order in the lane of any other is kept, so
   * that it stays refused when its id is used again.
   */
  recordSettled(settlements: readonly Settlement[], answers: readonly SettleAnswer[]): void {
    for (const [index, { id, epoch }] of settlements.entries()) {
      const holds = answers[index] === 'ok' || answers[index] === 'already';
      const leased = this.#claimOf.get(id)?.leased;
      if (!holds || leased?.get(id)?.epoch !== epoch) continue;
      leased.delete(id);
      this.#claimOf.delete(id);
    }
  }

  /** Drops the claims of the worker that began first. One that still works is remembered again from its next claim on. */
  #dropFirstWorker(): void {
    const [first] = this.#claims;
    if (first === undefined) return;
    const [worker, claims] = first;
    this.#claims.delete(worker);
    for (const { leased } of claims.values()) for (const id of leased.keys()) this.#claimOf.delete(id);
  }

  /**
   * Makes the table of runs anew, now and then. Each time that a `Map` outgrows its table the old one leads to the new one; once
   * a collection of young objects has found one of them in use, it would keep all that follow until a full collection.
   */
  #noteAdded(count: number): void {
    this.#added += count;
    if (this.#added <= this.#claimOf.size + RENEWED_AFTER) return;
    this.#claimOf = new Map(this.#claimOf);
    this.#added = 0;
  }

  #markOf(lane: string): LaneMark {
    const known = this.#marks.get(lane);
    if (known !== undefined) return known;
    const mark = new LaneMark();
    this.#marks.set(lane, mark);
    return mark;
  }
}

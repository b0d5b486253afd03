import type { Claim, SettleAnswer, Settlement } from '@retry/core/broker';

/** Below every order that a lane gives. */
const EVERYTHING = -Number.MAX_SAFE_INTEGER;

/** A lane is looked at in full at least so often, in ms, unless a full look has turned out to be slow. */
const FULL_LOOK_MS = 1_000;

/** Full looks take at most this part of the time. */
const FULL_LOOK_SHARE = 1 / 20;

/** So late, in ms, a transaction may commit what it scheduled without waiting for a full look. */
const LATE_COMMIT_MS = 1_000;

/** A worker has up to two exchanges under way; the rest is for those that come late. The next one makes it four. */
const REPLIES_PER_WORKER = 3;

/** A started run: a later start of the same one may be heard of before this one's end. */
export interface Held {
  readonly epoch: number;
  /** Where it stood in its lane: nobody but the one who claimed it knows that. */
  readonly ord: number;
}

/** A claim that got something. */
export interface Answered {
  readonly request: string;
  /** By their ids, the runs that nobody has settled yet by this client. */
  readonly held: Map<string, Held>;
}

/** Where one claim begins to look. */
export interface Look {
  readonly lanes: readonly string[];
  readonly lows: readonly number[];
  /** The same for the schedule of each lane: below it nothing is due. */
  readonly lowDues: readonly number[];
  readonly isFull: boolean;
}

/**
 * What a client remembers of its claims: how far each lane has been emptied. Rows that were taken stay in the index
 * until no snapshot can see them; a claim that begins behind them costs the same however old the oldest snapshot is.
 * What appears further ahead (a transaction that committed late) is found by a full look.
 */
export class ClaimMemory {
  readonly #lows = new Map<string, number>();
  readonly #emptied = new Set<string>();
  readonly #requests = new Map<string, Answered[]>();
  #fullAt = 0;
  #nextFullAt = 0;
  readonly #lowDues = new Map<string, number>();

  /** Where to look for these lanes now. */
  lookAt(lanes: Iterable<string>, now: number): Look {
    const names = [...lanes];
    const wantsFull = now >= this.#fullAt + FULL_LOOK_MS || names.some((lane) => this.#emptied.has(lane));
    const isFull = wantsFull && now >= this.#nextFullAt;
    const lows = names.map((lane) => (isFull ? EVERYTHING : (this.#lows.get(lane) ?? EVERYTHING)));
    const lowDues = names.map((lane) => (isFull ? 0 : (this.#lowDues.get(lane) ?? 0)));
    return { lanes: names, lows, lowDues, isFull };
  }

  /**
   * What a look that took from `at` to `until` by the client's clock has come to. What was left in a lane's schedule is
   * due from `dues` on: the next look begins there, however much more is due than one claim promotes.
   */
  looked(
    { isFull, lanes }: Look,
    span: { readonly at: number; readonly until: number; readonly serverNow: number },
    dues: readonly (number | null)[],
  ): void {
    for (const [index, lane] of lanes.entries()) {
      this.#lowDues.set(lane, Math.min(dues[index] ?? Infinity, span.serverNow - LATE_COMMIT_MS));
    }
    if (!isFull) return;
    const slowMs = Math.max(0, span.until - span.at - 5);
    this.#fullAt = span.until;
    this.#nextFullAt = span.until + Math.min(slowMs / FULL_LOOK_SHARE, 5 * FULL_LOOK_MS);
  }

  /** How much of what it asked for a claim got from a lane, and the order of the last of it. */
  took(lane: string, got: { readonly last: number | undefined; readonly isAll: boolean }): void {
    if (got.last !== undefined) this.#lows.set(lane, Math.max(got.last, this.#lows.get(lane) ?? 0, 0));
    if (got.isAll) this.#emptied.delete(lane);
    else this.#emptied.add(lane);
  }

  /** Something was put into a lane where it may stand ahead of what was seen. */
  reset(lanes: Iterable<string>): void {
    for (const lane of lanes) this.#lows.delete(lane);
  }

  /** The requests of this worker that the broker need not remember any longer, once this one has its answer. */
  replaces({ worker, requestId }: Claim): readonly Answered[] {
    const known = this.#requests.get(worker) ?? [];
    const isAgain = known.some(({ request }) => request === requestId);
    return isAgain ? [] : known.slice(0, -REPLIES_PER_WORKER);
  }

  /** A claim got these runs, which no earlier one holds any longer; its answer is kept instead of those that it replaced. */
  answered({ worker, requestId }: Claim, held: Answered['held'], replaced: readonly Answered[]): void {
    const known = this.#requests.get(worker) ?? [];
    if (known.some(({ request }) => request === requestId)) return;
    for (const before of this.#holding()) for (const id of held.keys()) before.held.delete(id);
    const kept = known.filter((one) => !replaced.includes(one));
    this.#requests.set(worker, [...kept, { request: requestId, held }]);
  }

  /** Where these runs stood when they were claimed, as far as it is remembered. */
  placesOf(settlements: readonly Settlement[]): readonly (number | undefined)[] {
    const claims = this.#holding();
    return settlements.map(({ id, epoch }) => {
      for (const { held } of claims) {
        const run = held.get(id);
        if (run?.epoch === epoch) return run.ord;
      }
      return undefined;
    });
  }

  /** No claim from before holds a run whose settlement was heard. */
  settled(settlements: readonly Settlement[], answers: readonly SettleAnswer[]): void {
    for (const { held } of this.#holding()) {
      settlements.forEach(({ id, epoch }, index) => {
        if (answers[index] === 'ok' && held.get(id)?.epoch === epoch) held.delete(id);
      });
    }
  }

  #holding(): readonly Answered[] {
    return [...this.#requests.values()].flat().filter(({ held }) => held.size > 0);
  }
}

/** Lower than every order in a lane. */
const LOWEST_SEQ = -Number.MAX_SAFE_INTEGER;

/** How late, in ms, a run may appear in a lane that seemed empty without waiting for a full read. */
const LATE_MS = 500;

/** A read of one lane by a claim or a poll. */
export interface LaneRead {
  /** What is remembered of the lane. One that is forgotten meanwhile has another mark then, which the answer says nothing of. */
  readonly mark: LaneMark;
  /** The lane is read beyond this order. */
  readonly from: number;
  /** Whether that is before the mark. */
  readonly isAgain: boolean;
}

/** What a claim got from a lane: the order of its last run, if that says how far the lane was read; and whether it got all it asked for. */
interface LaneGot {
  readonly lastSeq: number | undefined;
  readonly isAll: boolean;
}

/**
 * How far one lane has been read. A run has its order before its transaction commits: one that commits late, as another exchange
 * of the same client may, appears before the mark. So a lane that seems empty is read again from where the mark was a while ago.
 */
export class LaneMark {
  /** Claims go on from this order. */
  #seq = LOWEST_SEQ;
  /** Whether the latest claim got fewer runs of the lane than it asked for. */
  #seemsEmpty = false;
  /** At most what the mark was {@link LATE_MS} ago, and at the latest read but one. */
  #lateSeq = LOWEST_SEQ;
  /** What that will be next: at most the mark at this instant. */
  #nextLateSeq = LOWEST_SEQ;
  #nextSince = Number.NEGATIVE_INFINITY;

  get seemsEmpty(): boolean {
    return this.#seemsEmpty;
  }

  /** Begins a read at the mark, or before. What it does not see yet, the next one may: the mark of a while ago moves on after it. */
  read(now: number, isFull: boolean): LaneRead {
    const start = this.#seemsEmpty ? this.#lateSeq : this.#seq;
    if (now >= this.#nextSince + LATE_MS) {
      this.#lateSeq = this.#nextLateSeq;
      this.#nextLateSeq = this.#seq;
      this.#nextSince = now;
    }
    const from = isFull ? LOWEST_SEQ : start;
    return { mark: this, from, isAgain: from < this.#seq };
  }

  /** Records what a claim got by a read of this lane. */
  record({ from, isAgain }: LaneRead, { lastSeq, isAll }: LaneGot): void {
    // Released runs, which have an order below zero, say nothing of how far the lane was read.
    if (lastSeq === undefined || lastSeq < 0) {
      if (!isAll || !isAgain) this.#seemsEmpty = !isAll;
      return;
    }
    this.#seemsEmpty = !isAll;
    // A claim that was answered meanwhile may have moved the mark back: what lies between has not been read.
    if (from > this.#seq) return;
    if (isAll && isAgain) this.#moveTo(lastSeq);
    else this.#seq = Math.max(this.#seq, lastSeq);
  }

  /** Notes that a run has come to this order, which may be before the mark: others were claimed while its transaction was under way. */
  recordLate(seq: number): void {
    if (seq <= this.#seq) this.#moveTo(seq - 1);
  }

  /** What lies between the end of a read that began before the mark, and the mark, has not been read again. */
  #moveTo(seq: number): void {
    this.#seq = seq;
    this.#nextLateSeq = Math.min(this.#nextLateSeq, seq);
    this.#lateSeq = Math.min(this.#lateSeq, seq);
  }
}

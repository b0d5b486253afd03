/** Lower than every order in a lane. */
export const LOWEST_SEQ: number = -Number.MAX_SAFE_INTEGER;

/** How late, in ms, a run may appear in a lane that seemed empty without waiting for a full read. */
const LATE_MS = 500;

/**
 * How far one lane has been read. A run has its order before its transaction commits: one that commits late, as another exchange
 * of the same client may, appears before the mark. So a lane that seems empty is read again from where the mark was a while ago.
 */
export class LaneMark {
  /** Claims go on from this order. */
  seq: number = LOWEST_SEQ;
  /** Whether the latest claim got fewer runs of the lane than it asked for. */
  seemsEmpty = false;
  /** At most what `seq` was {@link LATE_MS} ago, and at the latest read but one. */
  #lateSeq = LOWEST_SEQ;
  /** What that will be next: at most `seq` at this instant. */
  #nextLateSeq = LOWEST_SEQ;
  #nextSince = Number.NEGATIVE_INFINITY;

  /** Returns beyond which order a claim or a poll reads the lane now. What this read does not see, one that begins here again may. */
  nextStart(now: number): number {
    const start = this.seemsEmpty ? this.#lateSeq : this.seq;
    if (now >= this.#nextSince + LATE_MS) {
      this.#lateSeq = this.#nextLateSeq;
      this.#nextLateSeq = this.seq;
      this.#nextSince = now;
    }
    return start;
  }

  /** Records that a read which began at the mark, or before it, has got to this order. */
  advance(seq: number): void {
    this.seq = Math.max(this.seq, seq);
  }

  /** Records that a read which began before the mark was full at this order, so that what lies between has not been read again. */
  moveTo(seq: number): void {
    this.seq = seq;
    this.#nextLateSeq = Math.min(this.#nextLateSeq, seq);
    this.#lateSeq = Math.min(this.#lateSeq, seq);
  }
}

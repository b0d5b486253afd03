import type { SqlValue } from './database.ts';

/** So often, in ms, it begins at the very first run again: for what was committed late, and to tidy up. */
const FROM_START_MS = 10_000;

/** When finished runs beyond those that are kept are forgotten: now and then, a batch at a time. */
export class Retention {
  readonly #keep: number;
  readonly #every: number;
  #finished = 0;
  #trimmed = 0;
  #nextFromStartAt = 0;

  /** @param keep - how many finished runs are kept, ≥ 0; `Infinity` keeps all */
  constructor(keep: number) {
    this.#keep = Math.floor(keep);
    this.#every = Math.max(1, Math.floor(keep / 2));
  }

  /** What an exchange that finishes so many runs is to pass on: how many to keep and where to begin, or nothing. */
  next(finished: number, now: number): readonly SqlValue[] {
    this.#finished += finished;
    if (this.#keep === Infinity || this.#finished < this.#every) return [null, null];
    this.#finished = 0;
    if (now < this.#nextFromStartAt) return [this.#keep, this.#trimmed];
    this.#nextFromStartAt = now + FROM_START_MS;
    return [this.#keep, 0];
  }

  /** How far the trimming came. */
  trimmed(reached: number | null): void {
    if (reached !== null) this.#trimmed = Math.max(this.#trimmed, reached);
  }
}

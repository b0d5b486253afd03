import type { RetentionSettings } from '@retry/core/broker/kit';
import { KEEP_BYTES } from '@retry/core/broker/kit';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import type { RetentionArguments } from '../schema/signatures.ts';

/** How often, in ms, trimming begins at the very first finished run again, for what was committed late. */
const FROM_START_MS = 10_000;

/** How often, in ms, what has expired is removed. */
const TIDY_MS = 1_000;

/** Long texts are looked at each time that runs with this part of what is kept of them have ended. */
const LONG_PARTS = 8;

/** What `settle_and_claim` replies about retention. */
export interface Tidied {
  /** The order of the last finished run that was forgotten. */
  readonly trimmed?: number | null;
  /** How many awaited results were not collected in time: from now on they are kept like any other. */
  readonly released?: number;
  /** Whether everything that has expired is removed. */
  readonly isTidy?: boolean;
}

/** Decides when an exchange also forgets what is beyond that which is kept: at times, a batch each. */
export class Retention {
  readonly #keep: number;
  readonly #every: number;
  readonly #keepKeysMs: number;
  readonly #keepForMs: number | null;
  readonly #keepBytes: number;
  #finished = 0;
  #longBytes = 0;
  #trimmed = 0;
  #nextFromStartAt = 0;
  #nextTidyAt = 0;

  constructor({ keepCount, keepForMs, keepBytes = KEEP_BYTES, keepKeysMs }: RetentionSettings) {
    this.#keep = keepCount === Infinity ? -1 : toCount(keepCount);
    this.#keepKeysMs = upToWhole(keepKeysMs);
    this.#keepForMs = keepForMs === Infinity ? null : upToWhole(keepForMs);
    this.#keepBytes = keepBytes;
    this.#every = Math.max(1, Math.floor(keepCount / 2));
  }

  /** Counts runs that have ended, and returns whether the next exchange forgets some. */
  count(ended: number): boolean {
    this.#finished += ended;
    return this.#finished >= this.#every || this.#longBytes > this.#keepBytes / LONG_PARTS;
  }

  /** Counts bytes of the long texts of a run that is settled, or has ended: they may be too much. */
  noteLong(bytes: number): void {
    this.#longBytes += bytes;
  }

  /**
   * Returns the arguments of an exchange that ends this number of runs: how many to keep, absent where nothing is trimmed,
   * and where to begin; from 0 on, it also tidies up.
   */
  next(ended: number, now: number): RetentionArguments {
    const isDue = this.count(ended);
    const isTimed = this.#keepForMs !== null && now >= this.#nextTidyAt;
    // Now and then in any case: others have ended runs, too.
    const isLateByBytes = this.#keepBytes !== Infinity && now >= this.#nextFromStartAt;
    const isTrimmed = isDue || isTimed || isLateByBytes;
    const isFromStart = isTrimmed && now >= this.#nextFromStartAt;
    const isTidied = isFromStart || now >= this.#nextTidyAt;
    const isLong = isFromStart || (isTrimmed && this.#longBytes > 0);
    if (isTrimmed) this.#finished = 0;
    if (isTrimmed) this.#longBytes = 0;
    if (isFromStart) this.#nextFromStartAt = now + FROM_START_MS;
    if (isTidied) this.#nextTidyAt = now + TIDY_MS;
    const from = isTrimmed ? this.#trimmed : null;
    return {
      keepFinished: isTrimmed ? this.#keep : null,
      trimFrom: isTidied ? 0 : from,
      keepKeysMs: this.#keepKeysMs,
      keepForMs: isTrimmed ? this.#keepForMs : null,
      keepBytes: isLong && this.#keepBytes !== Infinity ? Math.floor(this.#keepBytes) : null,
    };
  }

  /** Records the reply: as long as something is left, the next exchange continues. */
  record({ trimmed = null, released = 0, isTidy = true }: Tidied): void {
    if (trimmed !== null) this.#trimmed = Math.max(this.#trimmed, trimmed);
    if (!isTidy) this.#nextTidyAt = 0;
    this.#finished += released;
  }
}

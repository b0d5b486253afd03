import { toCount, upToWhole } from '../driver/sql-values.ts';
import type { PostgresBrokerSettings } from '../options.ts';
import type { RetentionArguments } from '../schema/signatures.ts';

/** How often, in ms, trimming begins at the very first finished run again, for what was committed late. */
const FROM_START_MS = 10_000;

/** How often, in ms, what has expired is removed. */
const TIDY_MS = 1_000;

/** What `settle_and_claim` replies about retention. */
export interface Tidied {
  /** The order of the last finished run that was forgotten. */
  readonly trimmed?: number | null;
  /** How many awaited results were not collected in time: from now on they are kept like any other. */
  readonly released?: number;
  /** Whether everything that has expired is removed. */
  readonly isTidy?: boolean;
}

/** Decides when an exchange also forgets finished runs beyond those that are kept: at times, a batch each. */
export class Retention {
  readonly #keep: number;
  readonly #every: number;
  readonly #keepKeysMs: number;
  #finished = 0;
  #trimmed = 0;
  #nextFromStartAt = 0;
  #nextTidyAt = 0;

  constructor({ keepCompleted, keepKeysMs }: Pick<PostgresBrokerSettings, 'keepCompleted' | 'keepKeysMs'>) {
    this.#keep = keepCompleted === Infinity ? keepCompleted : toCount(keepCompleted);
    this.#keepKeysMs = upToWhole(keepKeysMs);
    this.#every = Math.max(1, Math.floor(keepCompleted / 2));
  }

  /** Counts runs that have ended, and returns whether the next exchange forgets some. */
  count(ended: number): boolean {
    this.#finished += ended;
    return this.#keep !== Infinity && this.#finished >= this.#every;
  }

  /**
   * Returns the arguments of an exchange that ends this number of runs: how many to keep, absent where nothing is trimmed,
   * and where to begin; from 0 on, it also tidies up.
   */
  next(ended: number, now: number): RetentionArguments {
    const isTrimmed = this.count(ended);
    const isFromStart = isTrimmed && now >= this.#nextFromStartAt;
    const isTidied = isFromStart || now >= this.#nextTidyAt;
    if (isTrimmed) this.#finished = 0;
    if (isFromStart) this.#nextFromStartAt = now + FROM_START_MS;
    if (isTidied) this.#nextTidyAt = now + TIDY_MS;
    const from = isTrimmed ? this.#trimmed : null;
    return {
      keepFinished: isTrimmed ? this.#keep : null,
      trimFrom: isTidied ? 0 : from,
      keepKeysMs: this.#keepKeysMs,
    };
  }

  /** Records the reply: as long as something is left, the next exchange continues. */
  record({ trimmed = null, released = 0, isTidy = true }: Tidied): void {
    if (trimmed !== null) this.#trimmed = Math.max(this.#trimmed, trimmed);
    if (!isTidy) this.#nextTidyAt = 0;
    this.#finished += released;
  }
}

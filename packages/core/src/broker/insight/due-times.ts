import type { Counted } from './counted.ts';

/** Equal spans of time, one after another. */
export interface DueTimesQuery {
  /** When the first one begins, in epoch milliseconds; whole. */
  readonly from: number;
  /** How long each one is; whole, `bucketMs ≥ 1`. */
  readonly bucketMs: number;
  /** How many there are, 1 to 1 000. */
  readonly buckets: number;
  /** Only runs of these lanes, at most 1 000. @default every lane */
  readonly lanes?: readonly string[];
}

/** How many scheduled runs are due when. */
export interface DueTimes {
  /** The broker's clock, in epoch milliseconds. */
  readonly at: number;
  /** Runs that are due before `from`. */
  readonly before: Counted;
  /** For each span, how many runs are due in it: from its beginning on, and before its end. */
  readonly counts: readonly number[];
  /** Runs that are due when the last span has ended, or later. */
  readonly after: Counted;
  /**
   * `counts` are exact for spans that end at this instant or before; later ones may have more runs. The end of the last span
   * where all are exact.
   */
  readonly completeUntil: number;
}

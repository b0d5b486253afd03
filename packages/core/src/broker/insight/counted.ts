/** How many runs were counted, and whether these are all. */
export interface Counted {
  /** Exact if `isComplete`, else a lower bound. */
  readonly count: number;
  /** `false`: counting ended at a bound, and there are at least `count`. */
  readonly isComplete: boolean;
}

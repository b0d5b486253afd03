/** Starts to count against a limit of all workers. */
export interface Reservation {
  /** Reservations of one key share one limit; 1 to 512 bytes. */
  readonly key: string;
  /** The most starts in any window; an integer, `1 ≤ limit ≤ 1e9`. */
  readonly limit: number;
  /** The length of the window; whole milliseconds, from 1 to 366 days. */
  readonly windowMs: number;
  /** How many starts; an integer, `1 ≤ count ≤ 1e9`. */
  readonly count: number;
}

/** How many of the starts may be made now. They count from now on, whether they are made or not. */
export interface Reserved {
  /** `0 ≤ granted ≤ count`. */
  readonly granted: number;
  /**
   * When at least one more can be granted, unless others reserve it before; epoch milliseconds by the broker's clock. Absent
   * when all were granted.
   */
  readonly availableAt?: number;
}

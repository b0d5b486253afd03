/** Starts to count against a limit of all workers. */
export interface Reservation {
  /** Reservations of one key share one limit; 1 to 512 bytes. */
  readonly key: string;
  /** The most starts in any window; an integer, `1 ≤ limit ≤ 1e9`. */
  readonly limit: number;
  /** The length of the window; whole milliseconds, from 1 to 366 days. */
  readonly windowMs: number;
  /** How many starts; an integer, `1 ≤ count ≤ 1e9`. A start that costs more than others is asked for as several. */
  readonly count: number;
  /** Fewer are of no use, and none are granted then; an integer, `1 ≤ least ≤ min(count, limit)`. @default 1 */
  readonly least?: number;
}

/**
 * Corrects starts that were granted: they have turned out to be more or fewer. They count as of when they were granted, in all windows
 * of the key; what has left a window changes nothing there. May exceed the limit.
 */
export interface StartCorrection {
  /** The key of the reservation that is corrected. */
  readonly key: string;
  /** The `grantedAt` of its answer; epoch milliseconds by the broker's clock. */
  readonly grantedAt: number;
  /** How many more; an integer, `-1e9 ≤ count ≤ 1e9`. At most all that count as of then are taken away. */
  readonly count: number;
}

/** How many of the starts may be made now. They count from now on, whether they are made or not. Of a correction: none. */
export interface Reserved {
  /** `granted = 0` or `least ≤ granted ≤ count`. */
  readonly granted: number;
  /** When they were granted, by which they can be corrected; epoch milliseconds by the broker's clock. Absent when none were. */
  readonly grantedAt?: number;
  /**
   * When at least `least` more can be granted, unless others reserve them before; epoch milliseconds by the broker's clock. Absent
   * when all were granted.
   */
  readonly availableAt?: number;
}

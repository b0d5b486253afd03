/** Who puts a lane on hold. Holds of one lane and different sources exist side by side; the lane waits for all of them. */
export type HoldSource = 'operator' | 'handler' | 'circuit-breaker';

/** A pause of one lane, or of all lanes. */
export interface Hold {
  /** Absent: all lanes. */
  readonly lane?: string;
  /** One lane, and all lanes together, have at most one hold of each source. */
  readonly source: HoldSource;
  /** Why, for people; 1 to 512 bytes. */
  readonly reason?: string;
  /** Who, for people; 1 to 512 bytes. */
  readonly by?: string;
  /** When it began, in epoch milliseconds. */
  readonly heldAt: number;
  /** When it ends by itself; absent: when it is resumed. */
  readonly until?: number;
  /**
   * Present where the hold probes: when `until` has passed it does not end, but lets one run of the lane through, and `until` becomes
   * this many milliseconds from then, `0 < probeMs < Infinity`; and so on, until it is resumed. A run that is claimed over the limit of its
   * key counts as let through, too.
   */
  readonly probeMs?: number;
}

/** A hold to put on a lane. */
export interface HoldRequest extends Omit<Hold, 'heldAt'> {
  /** How long it lasts, in milliseconds from now by the broker's clock; the later of this and `until` holds. */
  readonly forMs?: number;
  /**
   * Change nothing when the present hold of this lane and source has a later `until`, or none. @default false
   */
  readonly keepLonger?: boolean;
}

/** Which hold to end. */
export interface ResumeRequest {
  /** Absent: the hold of all lanes. */
  readonly lane?: string;
  /** Absent: those of every source. */
  readonly source?: HoldSource;
}

/** `none`: there was no such hold. */
export type ResumeAnswer = 'resumed' | 'none';

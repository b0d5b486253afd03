import type { Hold } from '../hold.ts';
import type { LiveWorker } from './workers.ts';

/** Which lanes to report. */
export interface LanesQuery {
  /** These lanes, at most 1 000. @default every lane that has runs that wait, a live worker or a hold of its own */
  readonly lanes?: readonly string[];
}

/** What happens in the lanes, at one instant. */
export interface LaneReport {
  /** The broker's clock, in epoch milliseconds. */
  readonly at: number;
  /** The lanes, by name. */
  readonly lanes: readonly LaneFigures[];
  /** `false`: there are more than 1 000 lanes, of which some are left out. Name those that are wanted. */
  readonly isComplete: boolean;
  /** Every hold that has not ended, also of lanes that are not reported; those of all lanes first. */
  readonly holds: readonly Hold[];
  /** Every live worker, by name. */
  readonly workers: readonly LiveWorker[];
}

/** What happens in one lane. */
export interface LaneFigures {
  /** `name@version` of its task. */
  readonly lane: string;
  /** Submitted runs, those in `parked` included. */
  readonly waiting: Counted;
  /** Submitted runs that were put aside until their concurrency key has a free slot. */
  readonly parked: Counted;
  /** Scheduled runs, those in `due` included. */
  readonly scheduled: Counted;
  /** Scheduled runs that are due: the next claim of the lane promotes them. */
  readonly due: Counted;
  /** Runs that are leased, those whose lease has expired included. */
  readonly started: Counted;
  /**
   * Milliseconds for which the next run has been claimable: the one that a claim would take first, or the scheduled one that is
   * due longest, whichever is due longer. Runs that wait for their concurrency key do not count; a hold of the lane changes
   * nothing. Absent when no run is claimable.
   */
  readonly oldestClaimableAgeMs?: number;
  /** The holds of the lane that have not ended, those of all lanes included. */
  readonly holds: readonly Hold[];
  /** How many live workers know the lane. */
  readonly workers: number;
  /** What its live workers did in their latest intervals; absent until one of them has reported. */
  readonly rates?: LaneRates;
  /**
   * Runs that came into the lane, per second: those that ended, and what the runs that have not ended became more by since the
   * call before of this broker. Absent at the first call, and where a figure is not complete. Runs that operators moved or
   * removed in that time count against it.
   */
  readonly rateIn?: Rate;
}

/** What the workers of a lane did, as they reported it themselves, in sums over all of them. */
export interface LaneRates {
  /** Attempts that were started. */
  readonly starts: CountedRate;
  /** The starts of attempts after the first. */
  readonly retries: CountedRate;
  /** Runs that ended. */
  readonly out: CountedRate;
  /** The longest time after the instant at which it was due that one of the attempts started, in milliseconds. */
  readonly maxLatenessMs: number;
}

/** How many per second. */
export interface Rate {
  /** An average over `windowMs`, ≥ 0; of several workers the sum of theirs. */
  readonly perSecond: number;
  /** The time in which they were counted, in milliseconds; where several workers counted, the longest. */
  readonly windowMs: number;
}

/** How many per second, and of how many. */
export interface CountedRate extends Rate {
  /** How many there were: of each worker in its own window, so that a share of counts is one of attempts. */
  readonly count: number;
}

/** How many runs were counted, and whether these are all. */
export interface Counted {
  /** Exact if `isComplete`, else a lower bound. */
  readonly count: number;
  /** `false`: counting ended at a bound, and there are at least `count`. */
  readonly isComplete: boolean;
}

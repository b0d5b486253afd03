import type { Audit, Hold, LaneFigures, LiveWorker } from '@retry/core/broker';
import type { Finding, HealthFigures } from '@retry/worker';

/** `GET overview`. */
export interface OverviewAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** The lanes with runs that wait, a live worker or a hold of their own, by name; where there are more than 1 000, a finding says so. */
  readonly lanes: readonly LaneFigures[];
  /** The holds that have not ended; first the ones of all lanes. */
  readonly holds: readonly Hold[];
  /** `unbalanced` other than 0 is a bug. Counted anew every 10 s at most; while that is under way, it is the one before. */
  readonly audit: Audit;
  /** What `queue.health()` found, critical ones first. */
  readonly findings: readonly Finding[];
  /** The figures of `queue.health()`; what is not known is absent. */
  readonly figures: HealthFigures;
  /** How late attempts started, over the live workers: the latest of each lane. Absent until one has reported. */
  readonly lateness?: Lateness;
}

/** Over the lanes, the latest start of each in the latest interval of its workers. */
export interface Lateness {
  /** The median over the lanes. */
  readonly p50Ms: number;
  /** What 99 of 100 lanes do not exceed; of up to 100 lanes, the latest start. */
  readonly p99Ms: number;
}

/** `GET workers`. */
export interface WorkersAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** The workers whose registration has not lapsed, by name. */
  readonly workers: readonly LiveWorker[];
}

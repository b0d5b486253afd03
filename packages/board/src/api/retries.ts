import type { DueTimes } from '@retry/core/broker';

/** `GET retries?lane=`. */
export interface RetriesAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** One entry for each lane, the one with most runs first; at most 20. */
  readonly attempts: readonly LaneAttempts[];
  /** The lanes with runs that are not among `attempts`. */
  readonly otherLanes: number;
  /** 10 minutes from now on, in spans of 5 s. */
  readonly near: DueTimeline;
  /** 24 hours from now on, in spans of 10 min. */
  readonly far: DueTimeline;
}

/** How many waiting and scheduled runs of a lane are about to start which attempt. */
export interface LaneAttempts {
  readonly lane: string;
  readonly task: string;
  readonly version: string;
  /** How many runs are about to start each attempt, counted from 1; attempts that no run is about to start are absent. */
  readonly counts: readonly { readonly attempt: number; readonly runs: number }[];
  /** How many runs were looked at. */
  readonly searched: number;
  /** `false`: there are more runs, which were not looked at. */
  readonly isComplete: boolean;
}

/** How many scheduled runs are due when. */
export interface DueTimeline extends DueTimes {
  /** When the first span begins. */
  readonly from: number;
  /** How long each span is. */
  readonly bucketMs: number;
}

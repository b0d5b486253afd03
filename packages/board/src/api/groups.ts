import type { DeadLetterState } from '@retry/core/lifecycle';
import type { LetterGroup } from '@retry/worker';
import type { RunRow, ShownError } from './runs.ts';

/** `GET groups?task=&version=&limit=&after=`: error groups, the largest first. */
export interface GroupsAnswer {
  /** Titles have passed `mask`. */
  readonly groups: readonly GroupRow[];
  /** In all groups of the version that was asked for, else of the whole queue. */
  readonly deadLetters: number;
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
}

/** An error group. */
export interface GroupRow extends LetterGroup {
  /** Its dead letters by their end; in a list only of the first 20 groups, and of these only where it has 200 at most. */
  readonly trend?: Trend;
}

/** How many dead letters ended in equal spans of time, the last of which ends at `to`. */
export interface Trend {
  /** The earliest end. */
  readonly from: number;
  /** When the last span ends, which does not include it. */
  readonly to: number;
  /** How long each span is, ≥ 1. */
  readonly bucketMs: number;
  /** 48, the earliest span first. */
  readonly counts: readonly number[];
  /** How many dead letters were looked at. */
  readonly searched: number;
  /** `false`: the group has more, which were not looked at. */
  readonly isComplete: boolean;
}

/** `GET groups/:lane/:id?state=&limit=&after=`: one group and a page of its dead letters. */
export interface GroupAnswer {
  /** Absent when the group has no dead letter any more. */
  readonly group?: GroupRow;
  /** The state of the runs: the one that was asked for, else the sample's. */
  readonly state: DeadLetterState;
  /** Without payloads. */
  readonly runs: readonly RunRow[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
  /** The latest error of the run that ended last, with its causes in the stack. */
  readonly sample?: SampleError;
  /** What a person types to see the same in a terminal. */
  readonly command: string;
}

/** One error to look at. */
export interface SampleError {
  readonly runId: string;
  /** Its message and stack have passed `mask`. */
  readonly error: ShownError;
}

import type { GroupPage, GroupsQuery } from './groups.ts';
import type { Counted, LaneReport, LanesQuery } from './lanes.ts';

/** Which figures to return. */
export interface FiguresQuery {
  /** What waits and runs in each lane, its holds, its workers and its rates. */
  readonly lanes?: LanesQuery;
  /** How many waiting or scheduled runs are about to start their first attempt, their second, and so on. */
  readonly attempts?: AttemptsQuery;
  /** How many scheduled runs are due in each of some equal spans of time. */
  readonly dueTimes?: DueTimesQuery;
  /** The error groups of dead letters, those with most of them first. */
  readonly groups?: GroupsQuery;
  /** How full the server is, of several the fullest. */
  readonly memory?: true;
}

/** The answers to all that a {@link FiguresQuery} can ask for. */
export interface Figures {
  readonly lanes: LaneReport;
  readonly attempts: AttemptCounts;
  readonly dueTimes: DueTimes;
  readonly groups: GroupPage;
  /** `undefined` where nothing is limited: only servers that keep everything in memory refuse submits when it is full. */
  readonly memory: ServerMemory | undefined;
}

/** Returns the figures that were asked for, and no others. */
export type ReadFigures = <Asked extends FiguresQuery>(
  query: Asked,
) => Promise<Pick<Figures, keyof Asked & keyof Figures>>;

/** Which runs to look at. */
export interface AttemptsQuery {
  /** @default every lane */
  readonly lane?: string;
  /** @default both */
  readonly state?: 'submitted' | 'scheduled';
  /** How many runs to look at, at most, in the order of `list`; 1 to 5 000. @default 1000 */
  readonly limit?: number;
}

/** How many runs are about to start which attempt. */
export interface AttemptCounts {
  /** The counts by attempt, counted from 1; only attempts that some run is about to start. */
  readonly counts: readonly AttemptCount[];
  /** How many runs were looked at. */
  readonly searched: number;
  /** `false`: there are more runs, which were not looked at. */
  readonly isComplete: boolean;
}

/** How many runs are about to start one attempt. */
export interface AttemptCount {
  /** The attempt that they are about to start, counted from 1. */
  readonly attempt: number;
  /** How many of the runs that were looked at, ≥ 1. */
  readonly runs: number;
}

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
  /** How many runs are due in each span: from its beginning on, and before its end. */
  readonly counts: readonly number[];
  /** Runs that are due when the last span has ended, or later. */
  readonly after: Counted;
  /**
   * `counts` are exact for spans that end at this instant or before; later ones may have more runs. The end of the last span
   * where all are exact.
   */
  readonly completeUntil: number;
}

/** How full a server is that refuses writes when it is. */
export interface ServerMemory {
  /** What it uses now, of everything that it keeps. */
  readonly usedBytes: number;
  /** What it may use. */
  readonly maxBytes: number;
  /** About what of it is the queue's, estimated from samples; absent where the server does not say. */
  readonly ownBytes?: number | undefined;
}

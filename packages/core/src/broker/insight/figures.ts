import type { AttemptCounts, AttemptsQuery } from './attempts.ts';
import type { DueTimes, DueTimesQuery } from './due-times.ts';
import type { GroupPage, GroupsQuery } from './groups.ts';
import type { LaneReport, LanesQuery } from './lanes.ts';
import type { ServerMemory } from './memory.ts';

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

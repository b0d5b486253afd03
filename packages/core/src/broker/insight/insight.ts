import type { AttemptCounts, AttemptsQuery } from './attempts.ts';
import type { DueTimes, DueTimesQuery } from './due-times.ts';
import type { GroupPage, GroupsQuery } from './groups.ts';
import type { LaneReport, LanesQuery } from './lanes.ts';
import type { ServerMemory } from './memory.ts';

/**
 * What operators ask about a queue as a whole. Every call takes a bounded time, however many runs there are: what it counts
 * only up to a bound says so. Calls change nothing.
 */
export interface Insight {
  /** Returns what waits and runs in each lane, its holds, its workers and its rates. */
  readonly lanes: (query?: LanesQuery) => Promise<LaneReport>;
  /** Returns how many waiting or scheduled runs are about to start their first attempt, their second, and so on. */
  readonly attempts: (query?: AttemptsQuery) => Promise<AttemptCounts>;
  /** Returns how many scheduled runs are due in each of some equal spans of time. */
  readonly dueTimes: (query: DueTimesQuery) => Promise<DueTimes>;
  /** Returns the error groups of dead letters, those with most of them first. */
  readonly groups: (query: GroupsQuery) => Promise<GroupPage>;
  /**
   * Returns how full the server is, of several the fullest; `undefined` where nothing is limited. Only brokers have it whose server
   * keeps everything in memory, and refuses submits when that is full.
   */
  readonly memory?: () => Promise<ServerMemory | undefined>;
}

import type { Insight, ListQuery, RunPage } from '@retry/core/broker';
import { countAttempts, reportLanes, withEntryRates } from '@retry/core/broker/kit';
import type { Database } from '../../driver/database.ts';
import { listHolds } from '../hold.ts';
import { listRuns } from '../list.ts';
import { countDueTimes } from './due-times.ts';
import { claimGroupNotices } from './group-notices.ts';
import { listGroups } from './groups.ts';
import { countLanes, readLaneNames } from './lanes.ts';
import { listWorkers } from './workers.ts';

/** Returns what operators ask about a schema. */
export function createInsight(database: Database, schema: string): Insight {
  const source = {
    names: () => readLaneNames(database),
    count: (lanes: readonly string[]) => countLanes(database, lanes),
    holds: () => listHolds(database),
    workers: () => listWorkers(database),
  };
  const list = (query: ListQuery): Promise<RunPage> => listRuns(database, schema, query);
  return withEntryRates({
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts(list, query),
    dueTimes: (query) => countDueTimes(database, query),
    workers: () => listWorkers(database),
    groups: (query) => listGroups(database, schema, query),
    claimGroupNotices: () => claimGroupNotices(database),
  });
}

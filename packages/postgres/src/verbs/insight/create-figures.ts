import type { ListQuery, Notes, RunPage } from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import { countAttempts, reportLanes, withEntryRates } from '@retry/core/broker/kit';
import type { Database } from '../../driver/database.ts';
import { listRuns } from '../list.ts';
import { countDueTimes } from './due-times.ts';
import { listGroups } from './groups.ts';
import { countLanes, readLaneNames } from './lanes.ts';

/** Returns what operators ask about a schema. */
export function createFigures(database: Database, schema: string, notes: Notes): FigureSources {
  const source = {
    names: () => readLaneNames(database),
    count: (lanes: readonly string[]) => countLanes(database, lanes),
    notes,
  };
  const list = (query: ListQuery): Promise<RunPage> => listRuns(database, schema, query);
  return withEntryRates({
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts(list, query),
    dueTimes: (query) => countDueTimes(database, query),
    groups: (query) => listGroups(database, schema, query),
  });
}

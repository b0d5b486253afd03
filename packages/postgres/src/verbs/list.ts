import type { ListQuery, Run } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import { toCount, upToWhole } from '../driver/sql-values.ts';
import { readRows, readRun } from '../record/run.ts';

/** Lists runs of one state by ascending id. */
export async function listRuns(database: Database, query: ListQuery): Promise<readonly Run[]> {
  const { state, lane = null, endedBefore, errorName = null, limit, after = '', payloads } = query;
  const rows = await database.call('list_runs', {
    ...{ state, lane, errorName, after },
    endedBefore: endedBefore === undefined ? null : upToWhole(endedBefore),
    limit: toCount(limit),
    payloads: payloads !== 'omit',
  });
  return readRows(rows).map(readRun);
}

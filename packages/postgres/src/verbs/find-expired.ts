import type { ExpiredScope, Run } from '@retry/core/broker';
import type { Database } from '../driver/database.ts';
import { toCount } from '../driver/sql-values.ts';
import { isUnreadable, readRows, readRun } from '../record/run.ts';
import type { UnreadableRun } from '../record/unreadable.ts';

/** Started runs whose leases have expired, and those among them whose records cannot be read. */
export interface Expired {
  readonly runs: readonly Run[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Finds started runs of some lanes whose leases have expired. */
export async function findExpired(
  database: Database,
  limit: number,
  { lanes, exceptLanes }: ExpiredScope = {},
): Promise<Expired> {
  const scope = { lanes: lanes ?? null, exceptLanes: exceptLanes ?? null };
  const rows = readRows(await database.call('find_expired', { limit: toCount(limit), ...scope }));
  const unreadable = rows.filter(isUnreadable).map(readRun);
  return {
    runs: rows.filter((row) => !isUnreadable(row)).map(readRun),
    unreadable: unreadable.map(({ id, lane, epoch, startedAt = 0 }) => ({
      ...{ id, lane, epoch, onlyIfExpired: true },
      at: startedAt,
    })),
  };
}

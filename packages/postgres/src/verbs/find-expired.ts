import type { ExpiredScope, Run } from '@retry/core/broker';
import { toCount } from '../driver/sql-values.ts';
import { isUnreadable, readRows, readRun } from '../record/run.ts';
import type { ExchangePort } from './settle-and-claim.ts';
import { failUnreadable } from './settle-and-claim.ts';

/** Finds started runs of some lanes whose leases have expired, longest ago first; fails those that cannot be read. */
export async function findExpiredRuns(
  port: ExchangePort,
  limit: number,
  { lanes, exceptLanes }: ExpiredScope = {},
): Promise<readonly Run[]> {
  const scope = { lanes: lanes ?? null, exceptLanes: exceptLanes ?? null };
  const rows = readRows(await port.database.call('find_expired', { limit: toCount(limit), ...scope }));
  const unreadable = rows.filter(isUnreadable).map(readRun);
  if (unreadable.length > 0) {
    const failing = unreadable.map(({ id, lane, epoch, startedAt = 0 }) => ({
      id,
      lane,
      epoch,
      at: startedAt,
    }));
    await failUnreadable(
      port,
      failing.map((run) => ({ ...run, onlyIfExpired: true })),
    );
  }
  return rows.filter((row) => !isUnreadable(row)).map(readRun);
}

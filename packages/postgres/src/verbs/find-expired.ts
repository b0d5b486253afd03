import type { Broker, ExpiredScope, Run } from '@retry/core/broker';
import type { RetentionSettings } from '@retry/core/broker/kit';
import { createForgetOldLetters } from '@retry/core/broker/kit';
import { toCount } from '../driver/sql-values.ts';
import { forgettingFailed } from '../errors.ts';
import { isUnreadable, readRows, readRun } from '../record/run.ts';
import type { ExchangePort } from './exchange.ts';
import { exchange, failUnreadable } from './exchange.ts';

/** For how long a broker keeps what has ended, and who hears of what it could not forget. */
interface KeepingParts extends Pick<RetentionSettings, 'keepForMs' | 'keepDeadForMs'> {
  readonly onError: (error: unknown) => void;
}

/** Creates the verb that every cleaner calls: it also forgets what is kept for a time, and has been kept for longer. */
export function createFindExpired(
  port: ExchangePort & Pick<Broker, 'list' | 'get' | 'change'>,
  { keepForMs, keepDeadForMs, onError }: KeepingParts,
): Broker['findExpired'] {
  const forgetOldLetters = createForgetOldLetters(port, keepDeadForMs);
  const isTimed = keepForMs < Infinity || keepDeadForMs < Infinity;
  return async (limit, scope) => {
    const found = await findExpiredRuns(port, limit, scope);
    // An exchange forgets completed runs. Where this fails, the next call does it: what was found is worth more.
    if (isTimed)
      await exchange(port, {})
        .then(({ now }) => forgetOldLetters(now))
        .catch((error) => onError(forgettingFailed(error)));
    return found;
  };
}

/** Finds started runs of some lanes whose leases have expired, longest ago first; fails those that cannot be read. */
async function findExpiredRuns(
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

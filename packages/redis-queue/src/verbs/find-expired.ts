import type { Broker, ExpiredScope, Run } from '@retry/core/broker';
import type { RetentionSettings } from '@retry/core/broker/kit';
import { createForgetOldLetters, getBy, MAX_BATCH_BYTES, runBytes } from '@retry/core/broker/kit';
import { forgettingFailed } from '../errors.ts';
import { findExpiredScript, forgetOldScript } from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript } from '../store/store.ts';
import { changeRuns } from './change.ts';
import { quarantine } from './exchange.ts';
import type { KeptRun, ReadReply } from './get.ts';
import { decodeKept, getRuns, readRuns } from './get.ts';
import { listRuns } from './list.ts';

/** For how long a broker keeps what has ended, and who hears of what it could not forget. */
export interface KeepingParts extends Pick<RetentionSettings, 'keepForMs' | 'keepDeadForMs'> {
  readonly onError: (error: unknown) => void;
}

/** Creates the verb that every cleaner calls: it also forgets what is kept for a time, and has been kept for longer. */
export function createFindExpired(
  store: Store,
  { keepForMs, keepDeadForMs, onError }: KeepingParts,
): Broker['findExpired'] {
  const forgetOldLetters = createForgetOldLetters(
    {
      list: (query) => listRuns(store, query),
      get: getBy({ runs: (ids) => getRuns(store, ids), seen: (ids) => readRuns(store, ids) }),
      change: (changes, options) => changeRuns(store, changes, options),
    },
    keepDeadForMs,
  );
  const isTimed = keepForMs < Infinity || keepDeadForMs < Infinity;
  return async (limit, scope) => {
    const found = await findExpiredRuns(store, limit, scope);
    // Where this fails, the next call does it: what was found is worth more.
    if (isTimed)
      await forgetOldRuns(store)
        .then(forgetOldLetters)
        .catch((error) => onError(forgettingFailed(error)));
    return found;
  };
}

/** Forgets completed runs whose time is over, and returns the server's clock. */
async function forgetOldRuns(store: Store): Promise<number> {
  for (;;) {
    const [now, isMore] = await runListScript(store, forgetOldScript, store.retention);
    if (isMore !== 1) return Number(now);
  }
}

/** Finds started runs of some lanes whose leases have expired, longest ago first; fails those that cannot be read. */
async function findExpiredRuns(
  store: Store,
  limit: number,
  { lanes, exceptLanes = [] }: ExpiredScope = {},
): Promise<readonly Run[]> {
  const most = Math.max(0, Math.floor(limit));
  const only = lanes?.filter((lane) => !exceptLanes.includes(lane));
  const mode = only === undefined ? (exceptLanes.length === 0 ? 'all' : 'except') : 'only';
  const wanted = (only ?? exceptLanes).map(toTag);
  const found: Run[] = [];
  let bytes = 0;
  if (mode === 'only' && wanted.length === 0) return [];
  for (let from = 0; from >= 0 && found.length < most && bytes < MAX_BATCH_BYTES; ) {
    const room = Math.min(most - found.length, 1_000);
    const reply = await runListScript(store, findExpiredScript, [
      ...store.retention,
      pack([from, room, mode, wanted]),
    ]);
    const [next, ids, read] = reply as readonly [number, readonly string[], ReadReply]; // what our own script returns
    const kept = decodeKept(ids, read, 'omit').filter((one) => one !== undefined);
    // The lane in the body of a run has to be the one whose hash is in the record.
    const isBroken = ({ run, isUnreadable }: KeptRun): boolean =>
      isUnreadable || only?.includes(run.lane) === false;
    const unreadable = kept.filter(isBroken).map(({ run }) => run.id);
    if (unreadable.length > 0) await quarantine(store, unreadable);
    const runs = kept.filter((one) => !isBroken(one)).map(({ run }) => run);
    found.push(...runs);
    bytes += runs.reduce((sum, run) => sum + runBytes(run), 0);
    // Runs that did not fit into the reply are found by the caller's next call.
    from = read[0] < ids.length ? -1 : next;
  }
  return found;
}

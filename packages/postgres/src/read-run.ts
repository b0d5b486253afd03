import type { AttemptError, Concurrency, Run } from '@retry/core/broker';
import { settledBy } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';

/** A run as `show_run` gives it, in this order. */
export type RunRow = readonly [
  id: string,
  lane: string,
  payload: string,
  state: RunState,
  epoch: number,
  submittedAt: number | null,
  runAt: number | null,
  claimedAt: number | null,
  heartbeatAt: number | null,
  endedAt: number | null,
  wantsCancel: boolean,
  result: string | null,
  record: RunRecordText | null,
  key: string | null,
  keyLimit: number | null,
  keyWaits: boolean | null,
];

/** What the latest settlement said of a run, as far as it differs from a new one. */
export type RunRecordText = Partial<Omit<Run, 'errors'>> & { readonly errors?: readonly AttemptError[] };

/**
 * A run of which nothing has been said yet, with every key that a run can have. V8 overwrites the keys of a copied
 * object in no time, but takes 2 µs to add one: a run that has all its keys from birth keeps one shape all its life.
 */
export const BLANK = {
  id: '',
  lane: '',
  payload: '',
  state: 'unsubmitted',
  epoch: 0,
  resetEpoch: 0,
  failures: 0,
  stalls: 0,
  releases: 0,
  rateLimits: 0,
  redrives: 0,
  errors: [],
  submittedAt: undefined,
  startedAt: undefined,
  retriedAt: undefined,
  heartbeatAt: undefined,
  runAt: undefined,
  completedAt: undefined,
  resetAt: undefined,
  result: undefined,
  previousDelayMs: undefined,
  concurrency: undefined,
  settledBy: undefined,
  isDisposable: undefined,
  isCancelRequested: undefined,
} as object as Run; // to whoever reads it, an undefined key and an absent one are the same

/** A run from what the tables keep of it: the columns say where it is, the record what it has been through. */
export function readRun(row: RunRow): Run {
  const [id, lane, payload, state, epoch, submittedAt, runAt, claimedAt, heartbeatAt, endedAt] = row;
  const [, , , , , , , , , , wantsCancel, result, record, key, keyLimit, keyWaits] = row;
  return {
    ...BLANK,
    ...record,
    id,
    lane,
    payload,
    ...(record === null && state === 'completed' && { settledBy: settledBy(epoch, 'complete') }),
    state,
    epoch,
    ...(submittedAt !== null && { submittedAt }),
    ...(runAt !== null && { runAt }),
    ...(claimedAt !== null && startOf(record, claimedAt)),
    ...(heartbeatAt !== null && { heartbeatAt }),
    ...(endedAt !== null && { completedAt: endedAt }),
    ...(result !== null && { result }),
    ...(wantsCancel && { isCancelRequested: true }),
    ...(key !== null && { concurrency: readConcurrency(key, keyLimit, keyWaits) }),
  };
}

/** The first start stays the first; the latest one after it is the retry. */
export function startOf(
  record: RunRecordText | null,
  claimedAt: number,
): { readonly startedAt: number } | { readonly retriedAt: number } {
  return record?.startedAt === undefined ? { startedAt: claimedAt } : { retriedAt: claimedAt };
}

function readConcurrency(key: string, limit: number | null, waits: boolean | null): Concurrency {
  return { key, limit: limit ?? 1, whenFull: waits === true ? 'wait' : 'claim' };
}

import type { AttemptError, Concurrency, Run, Settlement } from '@retry/core/broker';
import type { RunDraft, TrimmedText } from '@retry/core/broker/kit';
import {
  carrySpent,
  newRun,
  readExtras,
  settledBy,
  transitionRun,
  UNREADABLE_GROUP,
} from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { UNREADABLE_RUN } from '../errors.ts';
import type { RunRow, RunValues } from '../schema/rows.ts';
import { readRow, TRIMMED } from '../schema/rows.ts';
import { readRecord } from './record.ts';

/** Reads the runs that a function replied, in its order. */
export function readRows(text: string | null): readonly RunRow[] {
  return (JSON.parse(text ?? '[]') as readonly RunValues[]).map(readRow); // what our own functions build
}

/** Returns a run from its row: the columns have its location, the record its history. */
export function readRun(row: RunRow): Run {
  const { id, lane, payload, state, epoch, record } = row;
  const { spent, ...extras } = readExtras(row.extras);
  const run: RunDraft = newRun({
    ...{ id, lane, payload, concurrency: concurrencyOf(row) },
    ...{ fairnessKey: row.fairnessKey ?? undefined, ...extras },
  });
  if (record !== null) Object.assign(run, readRecord(record) ?? { errors: [errorOf(row)] });
  else if (state === 'completed') run.settledBy = settledBy(epoch, 'complete');
  run.state = state;
  run.epoch = epoch;
  setSubmission(run, row);
  run.runAt = row.runAt ?? run.runAt;
  if (row.claimedAt !== null) setStart(run, row.claimedAt);
  run.heartbeatAt = row.heartbeatAt ?? run.heartbeatAt;
  run.endedAt = row.endedAt ?? run.endedAt;
  run.result = row.result ?? undefined;
  if (payload === TRIMMED || row.result === TRIMMED) noteTrimmed(run);
  carrySpent(run, spent);
  if (row.errorGroup !== null) run.errorGroup = row.errorGroup;
  if (row.isCancelRequested) run.isCancelRequested = true;
  return run;
}

/** Names the texts that retention has deleted of a run that has ended. */
function noteTrimmed(run: RunDraft): void {
  if (!isEnd(run.state)) return;
  const trimmed: TrimmedText[] = [];
  if (run.payload === TRIMMED) trimmed.push('payload');
  if (run.result === TRIMMED) trimmed.push('result');
  run.trimmed = trimmed;
  run.payload = run.payload === TRIMMED ? '' : run.payload;
  run.result = run.result === TRIMMED ? undefined : run.result;
}

/** Returns whether the record of a run was not written by this package. */
export function isUnreadable({ record }: RunRow): boolean {
  return record !== null && readRecord(record) === undefined;
}

function errorOf({ epoch, endedAt, submittedAt }: RunRow): AttemptError {
  return unreadableError(epoch, endedAt ?? submittedAt ?? 0);
}

/**
 * Sets `createdAt` and `submittedAt` of a run that has its record already. The columns are later than the record;
 * a creation that is stored nowhere is the same as the earliest submission that is known.
 */
export function setSubmission(
  run: RunDraft,
  columns: { readonly createdAt: number | null; readonly submittedAt: number | null },
): void {
  run.createdAt = columns.createdAt ?? run.createdAt ?? run.submittedAt ?? columns.submittedAt ?? undefined;
  run.submittedAt = columns.submittedAt ?? run.submittedAt;
}

/** Sets the latest start, which may be the first one. */
export function setStart(run: RunDraft, startedAt: number): void {
  run.firstStartedAt ??= startedAt;
  run.startedAt = startedAt;
}

function concurrencyOf({ key, keyLimit, keyWaits, keepsKey }: RunRow): Concurrency | undefined {
  if (key === null) return undefined;
  const whenFull = keyWaits === true ? 'wait' : 'claim';
  return { key, limit: keyLimit ?? 1, whenFull, ...(keepsKey === true && { holdWhileRetrying: true }) };
}

const MESSAGE = 'the stored record of the run cannot be read: the run is treated as one without a history';

/** Returns the error of a run whose record cannot be read. */
function unreadableError(epoch: number, at: number): AttemptError {
  return { epoch, at, name: UNREADABLE_RUN, message: MESSAGE, reason: 'ended' };
}

/** A started run whose record cannot be read. */
export interface UnreadableRun {
  readonly id: string;
  readonly lane: string;
  readonly epoch: number;
  /** When it was started, or found. */
  readonly at: number;
  readonly onlyIfExpired?: boolean;
}

/** Returns the settlement that makes it a dead letter. */
export function settleUnreadable({ id, lane, epoch, at, onlyIfExpired = false }: UnreadableRun): Settlement {
  const blank: Run = newRun({ id, lane, payload: '', concurrency: undefined });
  // Its earlier attempts are not known: it is charged from this one on.
  const started: Run<'started'> = { ...blank, state: 'started', epoch, resetEpoch: epoch - 1, startedAt: at };
  const failed = transitionRun(started, { type: 'fail', at });
  if (failed.type === 'rejected') throw new Error('a started run can fail');
  const next = { ...failed.run, errors: [unreadableError(epoch, at)] };
  return { id, epoch, event: 'fail', next, onlyIfExpired, group: UNREADABLE_GROUP };
}

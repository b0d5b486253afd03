import type { AttemptError, Concurrency, Run, RunDraft } from '@retry/core/broker';
import { newRun, settledBy } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { readRecord } from './read-record.ts';
import { unreadableError } from './unreadable.ts';

/** A run as `show_runs` gives it, in this order. */
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
  record: string | null,
  key: string | null,
  keyLimit: number | null,
  keyWaits: boolean | null,
];

/** A run from what the tables keep of it: the columns say where it is, the record what it has been through. */
export function readRun(row: RunRow): Run {
  const [id, lane, payload, state, epoch, submittedAt, runAt, claimedAt, heartbeatAt, endedAt] = row;
  const [, , , , , , , , , , wantsCancel, result, record, key, keyLimit, keyWaits] = row;
  const concurrency = key === null ? undefined : readConcurrency(key, keyLimit, keyWaits);
  const run: RunDraft = newRun({ id, lane, payload, concurrency });
  if (record !== null) Object.assign(run, readRecord(record) ?? { errors: [errorOf(row)] });
  else if (state === 'completed') run.settledBy = settledBy(epoch, 'complete');
  run.state = state;
  run.epoch = epoch;
  run.submittedAt = submittedAt ?? run.submittedAt;
  run.runAt = runAt ?? run.runAt;
  run.startedAt ??= run.firstStartedAt;
  if (claimedAt !== null) noteStart(run, claimedAt);
  run.heartbeatAt = heartbeatAt ?? run.heartbeatAt;
  run.endedAt = endedAt ?? run.endedAt;
  run.result = result ?? undefined;
  if (wantsCancel) run.isCancelRequested = true;
  return run;
}

/** Whether what is stored of a run beside its columns is none of ours. */
export function isUnreadable(row: RunRow): boolean {
  const record = row[12];
  return record !== null && readRecord(record) === undefined;
}

function errorOf([, , , , epoch, submittedAt, , , , endedAt]: RunRow): AttemptError {
  return unreadableError(epoch, endedAt ?? submittedAt ?? 0);
}

/** Notes a start: the first one stays the first. */
export function noteStart(run: RunDraft, claimedAt: number): void {
  run.firstStartedAt ??= claimedAt;
  run.startedAt = claimedAt;
}

function readConcurrency(key: string, limit: number | null, waits: boolean | null): Concurrency {
  return { key, limit: limit ?? 1, whenFull: waits === true ? 'wait' : 'claim' };
}

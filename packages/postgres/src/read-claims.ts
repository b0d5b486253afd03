import type { ClaimedRun, Concurrency, Run, RunDraft } from '@retry/core/broker';
import { newRun } from '@retry/core/broker';
import type { RunRecordText } from './read-run.ts';
import { noteStart } from './read-run.ts';

/** Runs that one statement started, column by column. */
export interface ClaimedRows {
  readonly lane: string;
  readonly at: number;
  readonly until: number;
  readonly ids: readonly string[];
  readonly ords: readonly number[];
  readonly epochs: readonly number[];
  readonly payloads: readonly string[];
  readonly submitted: readonly (number | null)[];
  readonly due: readonly (number | null)[];
  readonly records: readonly (RunRecordText | null)[];
  readonly concurrency?: Concurrency;
  readonly isOverLimit?: boolean;
}

/** The runs in the order of the lanes, and in each by their order there. */
export function readClaims(parts: readonly ClaimedRows[]): readonly ClaimedRun[] {
  if (parts.every(({ lane }, index) => index === 0 || lane !== parts[index - 1]?.lane))
    return parts.flatMap(readRows);
  const lanes = [...new Set(parts.map(({ lane }) => lane))];
  const found = parts.flatMap((part) =>
    readRows(part).map((claimed, index) => ({
      claimed,
      lane: lanes.indexOf(part.lane),
      ord: part.ords[index] ?? 0,
    })),
  );
  found.sort((left, right) => left.lane - right.lane || left.ord - right.ord);
  return found.map(({ claimed }) => claimed);
}

function readRows(rows: ClaimedRows): ClaimedRun[] {
  return rows.ids.map((id, index) => readRow(rows, id, index));
}

function readRow(rows: ClaimedRows, id: string, index: number): ClaimedRun {
  const { lane, at, until, concurrency, isOverLimit = false } = rows;
  const record = rows.records[index] ?? null;
  const payload = rows.payloads[index] ?? '';
  const run: RunDraft = newRun({ id, lane, payload, concurrency });
  if (record !== null) Object.assign(run, record);
  run.state = 'started';
  run.epoch = rows.epochs[index] ?? 0;
  run.submittedAt = rows.submitted[index] ?? run.submittedAt ?? at;
  run.runAt = rows.due[index] ?? run.runAt ?? at;
  run.heartbeatAt = at;
  noteStart(run, at);
  return { run: run as Run<'started'>, leaseUntil: until, isOverLimit }; // set just above
}

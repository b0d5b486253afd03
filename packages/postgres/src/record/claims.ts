import type { ClaimedRun, Concurrency, Run, RunDraft } from '@retry/core/broker';
import { newRun } from '@retry/core/broker';
import type { RunRecord } from './read-record.ts';
import { readRecord } from './read-record.ts';
import { noteStart } from './run.ts';
import type { UnreadableRun } from './unreadable.ts';

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
  readonly records: readonly (string | null)[];
  readonly concurrency?: Concurrency;
  readonly isOverLimit?: boolean;
}

/** What a claim got: runs, and those among them that cannot be read. */
export interface Claims {
  readonly claimed: readonly ClaimedRun[];
  readonly unreadable: readonly UnreadableRun[];
}

/** The runs in the order of the lanes, and in each by their order there. */
export function readClaims(parts: readonly ClaimedRows[]): Claims {
  const unreadable: UnreadableRun[] = [];
  const read = (rows: ClaimedRows): readonly Placed[] => readRows(rows, unreadable);
  if (parts.every(({ lane }, index) => index === 0 || lane !== parts[index - 1]?.lane)) {
    return { claimed: parts.flatMap((rows) => read(rows).map(({ claimed }) => claimed)), unreadable };
  }
  const lanes = [...new Set(parts.map(({ lane }) => lane))];
  const found = parts.flatMap((rows) =>
    read(rows).map((placed) => ({ ...placed, lane: lanes.indexOf(rows.lane) })),
  );
  found.sort((left, right) => left.lane - right.lane || left.ord - right.ord);
  return { claimed: found.map(({ claimed }) => claimed), unreadable };
}

interface Placed {
  readonly claimed: ClaimedRun;
  readonly ord: number;
}

function readRows(rows: ClaimedRows, unreadable: UnreadableRun[]): readonly Placed[] {
  const read: Placed[] = [];
  for (const [index, id] of rows.ids.entries()) {
    const text = rows.records[index] ?? null;
    const record = text === null ? undefined : readRecord(text);
    if (text !== null && record === undefined) {
      unreadable.push({ id, lane: rows.lane, epoch: rows.epochs[index] ?? 0, at: rows.at });
    } else read.push({ claimed: readRow(rows, index, record), ord: rows.ords[index] ?? 0 });
  }
  return read;
}

function readRow(rows: ClaimedRows, index: number, record: RunRecord | undefined): ClaimedRun {
  const { lane, at, until, concurrency, isOverLimit = false } = rows;
  const id = rows.ids[index] ?? '';
  const payload = rows.payloads[index] ?? '';
  const run: RunDraft = newRun({ id, lane, payload, concurrency });
  if (record !== undefined) Object.assign(run, record);
  run.state = 'started';
  run.epoch = rows.epochs[index] ?? 0;
  run.submittedAt = rows.submitted[index] ?? run.submittedAt ?? at;
  run.runAt = rows.due[index] ?? run.runAt ?? at;
  run.heartbeatAt = at;
  noteStart(run, at);
  return { run: run as Run<'started'>, leaseUntil: until, isOverLimit }; // set just above
}

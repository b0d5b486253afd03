import type { ClaimedRun, Run } from '@retry/core/broker';
import type { Extras, RunDraft } from '@retry/core/broker/kit';
import { carrySpent, newRun, readExtras } from '@retry/core/broker/kit';
import type { ClaimedRows } from '../schema/rows.ts';
import type { StoredRecord } from './record.ts';
import { readRecord } from './record.ts';
import { setStart, setSubmission } from './run.ts';
import type { UnreadableRun } from './unreadable.ts';

const NO_EXTRAS: Extras = {};

/** What a claim got: runs, and those among them whose records cannot be read. */
export interface Claims {
  readonly claimed: readonly ClaimedRun[];
  readonly unreadable: readonly UnreadableRun[];
}

/** Returns the runs in the order of the lanes, and in each lane by their order there. */
export function readClaims(parts: readonly ClaimedRows[]): Claims {
  const unreadable: UnreadableRun[] = [];
  const read = (rows: ClaimedRows): readonly Ordered[] => readPart(rows, unreadable);
  // As a rule each lane has one part, in order. Runs with concurrency keys are parts of their own.
  if (parts.every(({ lane }, index) => index === 0 || lane !== parts[index - 1]?.lane)) {
    return { claimed: parts.flatMap((rows) => read(rows).map(({ claimed }) => claimed)), unreadable };
  }
  const lanes = [...new Set(parts.map(({ lane }) => lane))];
  const found = parts.flatMap((rows) =>
    read(rows).map((ordered) => ({ ...ordered, lane: lanes.indexOf(rows.lane) })),
  );
  found.sort((left, right) => left.lane - right.lane || left.laneSeq - right.laneSeq);
  return { claimed: found.map(({ claimed }) => claimed), unreadable };
}

interface Ordered {
  readonly claimed: ClaimedRun;
  readonly laneSeq: number;
}

function readPart(rows: ClaimedRows, unreadable: UnreadableRun[]): readonly Ordered[] {
  const read: Ordered[] = [];
  for (let index = 0; index < rows.ids.length; index += 1) {
    const id = rows.ids[index] ?? '';
    const text = rows.records[index] ?? null;
    const record = text === null ? undefined : readRecord(text);
    if (text !== null && record === undefined) {
      unreadable.push({ id, lane: rows.lane, epoch: rows.epochs[index] ?? 0, at: rows.at });
    } else read.push({ claimed: readClaimedRun(rows, index, record), laneSeq: rows.laneSeqs[index] ?? 0 });
  }
  return read;
}

function readClaimedRun(rows: ClaimedRows, index: number, record: StoredRecord | undefined): ClaimedRun {
  const { lane, at, until, concurrency, fairnessKey, isOverLimit = false } = rows;
  const id = rows.ids[index] ?? '';
  const payload = rows.payloads[index] ?? '';
  const text = rows.extras[index] ?? null;
  const { spent, retry, origin, context } = text === null ? NO_EXTRAS : readExtras(text);
  // Key by key: a spread for every run would take as long as the rest.
  const run: RunDraft = newRun({
    id,
    lane,
    payload,
    fairnessKey: fairnessKey ?? undefined,
    retry,
    origin,
    context,
    concurrency: concurrency ?? undefined,
  });
  if (record !== undefined) Object.assign(run, record);
  run.state = 'started';
  run.epoch = rows.epochs[index] ?? 0;
  setSubmission(run, { createdAt: createdAtOf(rows, id), submittedAt: rows.submittedAts[index] ?? null });
  run.runAt = rows.runAts[index] ?? run.runAt ?? at;
  run.heartbeatAt = at;
  setStart(run, at);
  carrySpent(run, spent);
  return { run: run as Run<'started'>, leaseUntil: until, isOverLimit }; // set just above
}

function createdAtOf({ createdAts }: ClaimedRows, id: string): number | null {
  return createdAts !== null && Object.hasOwn(createdAts, id) ? (createdAts[id] ?? null) : null;
}

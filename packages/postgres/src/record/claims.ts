import type { ClaimedRun, Run } from '@retry/core/broker';
import type { Extras, RunDraft } from '@retry/core/broker/kit';
import { carrySpent, newRun, readExtras } from '@retry/core/broker/kit';
import type { ClaimedRows, LineColumn } from '../schema/rows.ts';
import { LINE_BREAK, LINE_COLUMNS } from '../schema/rows.ts';
import type { StoredRecord } from './record.ts';
import { readRecord } from './record.ts';
import type { UnreadableRun } from './run.ts';
import { setStart, setSubmission } from './run.ts';

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

/** Reads the usual reply to a claim, which has a text for each column, or for each of few runs; see `sql/inline/lines.sql`. */
/** The rows of a reply: JSON, then the columns of claimed runs, or few of these runs, then the payloads that are rows of their own. */
export type ReplyRows = readonly (string | null)[];

type Lines = Readonly<Record<LineColumn, string | null>>;

/** What the runs have in common: when they were started, until when they are leased, and the lanes that were asked. */
export interface LinesOf {
  readonly at: number;
  readonly until: number;
  readonly lanes: readonly string[];
  /** How many runs of one lane have a row each; absent where each column has one. */
  readonly runs?: number | undefined;
}

/** Returns the runs that a claim got as lines, a part for each lane; none where the reply has only JSON. */
export function readClaimLines([, ...rows]: ReplyRows, linesOf: LinesOf): readonly ClaimedRows[] {
  if (rows.length === 0) return [];
  return linesOf.runs === undefined ? readColumns(rows, linesOf) : [readRuns(rows, linesOf.runs, linesOf)];
}

/** Where each column is in the lines of a run. */
const PLACE = Object.fromEntries(LINE_COLUMNS.map((name, index) => [name, index])) as Readonly<
  Record<LineColumn, number>
>; // one for each name

/** Reads few runs, a row for each with a line for each column; an empty one has no value. */
function readRuns(rows: ReplyRows, count: number, { at, until, lanes }: LinesOf): ClaimedRows {
  const runs = rows.slice(0, count).map(split);
  const apart = rows.slice(count).values();
  const column = (name: LineColumn): (string | null)[] => runs.map((lines) => lines[PLACE[name]] || null);
  const texts = (name: LineColumn): string[] => runs.map((lines) => lines[PLACE[name]] ?? '');
  const ids = texts('ids');
  const submittedAts = column('submittedAts').map(toInstant);
  const runAts = column('runAts').map(toInstant);
  const createdAts = column('createdAts').flatMap((line, index) =>
    line === null ? [] : [[ids[index] ?? '', Number(line)] as const],
  );
  return {
    lane: lanes[Number(texts('lanes')[0]) - 1] ?? '',
    at,
    until,
    ids,
    submittedAts,
    laneSeqs: texts('laneSeqs').map(Number),
    rowsAt: texts('rowsAt'),
    payloads: column('payloads').map((line) => line ?? apart.next().value ?? ''),
    // What is rare comes together: a run that has none of it has no such lines.
    runAts: runs.map(({ length }, index) => (length > PLACE.runAts ? runAts : submittedAts)[index] ?? null),
    epochs: column('epochs').map((line) => (line === null ? 1 : Number(line))),
    records: column('records'),
    extras: column('extras'),
    createdAts: createdAts.length === 0 ? null : Object.fromEntries(createdAts),
  };
}

function toInstant(line: string | null): number | null {
  return line === null ? null : Number(line);
}

/** Reads runs of any lanes, a row for each column with a line for each run. */
function readColumns(rows: ReplyRows, { at, until, lanes }: LinesOf): readonly ClaimedRows[] {
  const texts = Object.fromEntries(LINE_COLUMNS.map((name, index) => [name, rows[index] ?? null])) as Lines; // one for each name
  const ids = split(texts.ids);
  const apart = rows.slice(LINE_COLUMNS.length).values();
  const submittedAts = instants(texts.submittedAts, ids.length);
  const all: ClaimedRows = {
    lane: '',
    at,
    until,
    ids,
    submittedAts,
    laneSeqs: split(texts.laneSeqs).map(Number),
    rowsAt: split(texts.rowsAt),
    payloads: split(texts.payloads).map((line) => (line === '' ? (apart.next().value ?? '') : line)),
    runAts: texts.runAts === null ? submittedAts : instants(texts.runAts, ids.length),
    epochs: texts.epochs === null ? ids.map(() => 1) : split(texts.epochs).map(Number),
    records: optional(texts.records, ids.length),
    extras: optional(texts.extras, ids.length),
    createdAts: readCreatedAts(ids, texts.createdAts),
  };
  const laneNumbers = split(texts.lanes).map(Number);
  return laneNumbers.length === 1 ? [ofLane(all, lanes, laneNumbers[0])] : byLane(all, lanes, laneNumbers);
}

function ofLane(rows: ClaimedRows, lanes: readonly string[], laneNumber = 0): ClaimedRows {
  return { ...rows, lane: lanes[laneNumber - 1] ?? '' };
}

/** Divides runs of several lanes, which come lane by lane. */
function byLane(all: ClaimedRows, lanes: readonly string[], laneNumbers: readonly number[]): ClaimedRows[] {
  const parts: ClaimedRows[] = [];
  for (let start = 0; start < laneNumbers.length; ) {
    let end = start + 1;
    while (laneNumbers[end] === laneNumbers[start]) end += 1;
    const part: ClaimedRows = {
      ...all,
      ids: all.ids.slice(start, end),
      laneSeqs: all.laneSeqs.slice(start, end),
      rowsAt: all.rowsAt?.slice(start, end),
      payloads: all.payloads.slice(start, end),
      submittedAts: all.submittedAts.slice(start, end),
      runAts: all.runAts.slice(start, end),
      epochs: all.epochs.slice(start, end),
      records: all.records.slice(start, end),
      extras: all.extras.slice(start, end),
    };
    parts.push(ofLane(part, lanes, laneNumbers[start]));
    start = end;
  }
  return parts;
}

/** One line of a column of instants may stand for all. */
function instants(text: string | null, count: number): readonly (number | null)[] {
  const lines = split(text).map((line) => toInstant(line || null));
  return lines.length === count ? lines : Array.from({ length: count }, () => lines[0] ?? null);
}

/** An empty line: that run has no value. No column: none of the runs has one. */
function optional(text: string | null, count: number): readonly (string | null)[] {
  return text === null ? Array.from({ length: count }, () => null) : split(text).map((line) => line || null);
}

function readCreatedAts(ids: readonly string[], text: string | null): ClaimedRows['createdAts'] {
  if (text === null) return null;
  const lines = split(text);
  return Object.fromEntries(ids.flatMap((id, index) => (lines[index] ? [[id, Number(lines[index])]] : [])));
}

function split(text: string | null): readonly string[] {
  return (text ?? '').split(LINE_BREAK);
}

import type { Run, RunDraft } from '@retry/core/broker';
import { keepableMs, newRun } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { decodeBody, UnreadableError } from './body.ts';
import { APART, isKeptApart } from './large.ts';
import { flagsOf, HAS_STACK, IS_SHORT, splitErrors, withStack } from './stack.ts';

/**
 * The record of a run: a head of fixed width, which the scripts read and rewrite by position; what it was settled by, a
 * zero character; the rest as JSON, which only we read, a zero character; and its result.
 *
 * Head, counted from 0: state, flags (1 cancel requested, 2 holds its key, 4 disposable,
 * 8 has a stack, 32 its body has notes; one character from '0' on), epoch in 10 digits, five instants in 13 digits each
 * (submitted, started, retried, heartbeat, completed; zeros when never), runAt in 16 digits, and in 16 digits the order at
 * the front of a lane or in the schedule, or, where it is started, a note of its lane.
 *
 * A first start of a run that was never scheduled has a short record, and so has its completion: state, flags (16, and
 * 1, 2 and 32 as above), started and heartbeat, and the note of its lane; a completed one has completed and its result in
 * place of that. The rest is in its body. A result that is kept apart leaves one character in its place.
 */
const HEAD = 109;
const NEVER = '0000000000000';
const NOWHERE = '0000000000000000';

/** The letter of each state in a record. */
export const LETTERS: Readonly<Record<Exclude<RunState, 'unsubmitted'>, string>> = {
  submitted: 'w',
  scheduled: 'd',
  started: 'r',
  completed: 'C',
  failed: 'F',
  cancelled: 'X',
  stalled: 'S',
  dropped: 'D',
  rateLimited: 'L',
};

const STATES = Object.fromEntries(Object.entries(LETTERS).map(([state, letter]) => [letter, state]));

/** A record, and the long texts that go with it. */
export interface EncodedRecord {
  readonly text: string;
  readonly stack: string | undefined;
  /** A result that is kept apart. */
  readonly result?: string;
}

/** Texts of a run that are kept apart from its body and record, as far as they were read. */
export interface ApartTexts {
  readonly stack?: string | undefined;
  readonly payload?: string | undefined;
  readonly result?: string | undefined;
}

/** The record of a run that somebody settled or redrove; `settledBy` as text, empty when nobody settled it. */
export function encodeRecord(run: Run, settledBy: string): EncodedRecord {
  const { errors, stack } = splitErrors(run.errors);
  const flags = String.fromCharCode(
    48 + (run.isDisposable === true ? 4 : 0) + (stack === undefined ? 0 : HAS_STACK),
  );
  const letter = run.state === 'unsubmitted' ? 'w' : LETTERS[run.state];
  const { submittedAt, firstStartedAt, startedAt, heartbeatAt, endedAt, runAt } = run;
  const laterStart = startedAt === firstStartedAt ? undefined : startedAt;
  const times =
    textOf(submittedAt) + textOf(firstStartedAt) + textOf(laterStart) + textOf(heartbeatAt) + textOf(endedAt);
  const head = `${letter}${flags}${epochText(run.epoch)}${times}${dueText(runAt)}${NOWHERE}`;
  const { result = '' } = run;
  const text = `${head}${settledBy}\0${encodeRest(run, errors)}\0${isKeptApart(result) ? APART : result}`;
  return isKeptApart(result) ? { text, stack, result } : { text, stack };
}

/** The short record of a run that completes at its first start; nothing where it needs the long one. */
export function encodeFirstCompletion(run: Run): string | undefined {
  const { state, epoch, firstStartedAt, heartbeatAt, endedAt, result } = run;
  if (state !== 'completed' || epoch !== 1 || run.isDisposable === true || hasPast(run)) return undefined;
  if (run.runAt !== run.submittedAt || run.startedAt !== firstStartedAt) return undefined;
  if (result !== undefined && isKeptApart(result)) return undefined;
  return `C@${textOf(firstStartedAt)}${textOf(heartbeatAt)}${textOf(endedAt)}${result ?? ''}`;
}

/**
 * A short form for a run that completes later, from which the script makes its record: it has all but the instants and
 * the result already. Nothing where the run carries something else.
 */
export function encodeCompletion(run: Run): string {
  const { state, epoch, isDisposable, endedAt, heartbeatAt, result } = run;
  if (state !== 'completed' || epoch === 1 || isDisposable === true) return '';
  const kept = result !== undefined && isKeptApart(result) ? APART : (result ?? '');
  return `c${textOf(heartbeatAt)}${textOf(endedAt)}${kept}`;
}

/** An epoch as it stands in a record. */
export function epochText(epoch: number): string {
  return String(epoch).padStart(10, '0');
}

/** What the server says of a run at its first start. */
export interface FirstStart {
  readonly startedAt: number;
  /** Where it is kept apart. */
  readonly payload?: string | undefined;
}

/** A run as it is after its first start. */
export function decodeFirstStart(id: string, bodyText: string, first: FirstStart): Run {
  const run = decodeFresh(id, bodyText, first.payload);
  const { startedAt } = first;
  run.state = 'started';
  run.epoch = 1;
  run.firstStartedAt = startedAt;
  run.startedAt = startedAt;
  run.heartbeatAt = startedAt;
  return run;
}

/** A body and its record; a run that was never claimed has none. */
export interface KeptTexts extends ApartTexts {
  readonly body: string;
  readonly record: string | null;
}

/**
 * The run of a body and its record. Texts that are kept apart and were not read are empty.
 *
 * @throws {UnreadableError} when these are not what we wrote
 */
export function decodeRun(id: string, { body, record, stack, payload, result }: KeptTexts): Run {
  const run = decodeFresh(id, body, payload ?? '');
  if (record === null) return run;
  if (isShort(record)) readShort(run, record);
  else readLong(run, record, stack);
  if (run.result === APART) run.result = result;
  return run;
}

/** A run of which nothing can be read: it is shown as what becomes of it once a claim meets it. */
export function unreadableRun(id: string, what: string): Run {
  const run: RunDraft = newRun({ id, lane: '', payload: '', concurrency: undefined });
  run.state = 'failed';
  const message = `what the server keeps of this run cannot be read: ${what}. Discard it, and submit it again.`;
  run.errors = [{ epoch: 0, at: 0, name: 'UNREADABLE_RUN', message }];
  return run;
}

/** Whether the record has a result that is kept apart. */
export function hasResultApart(record: string): boolean {
  return record.endsWith(APART);
}

function isShort(record: string): boolean {
  return flagsOf(record) % (2 * IS_SHORT) >= IS_SHORT;
}

const SHORT_RECORD = /^[rC][0-o]\d{26}/;
const LONG_RECORD = /^[wdrCFXSDL][0-o]\d{107}/;

function readShort(run: RunDraft, record: string): void {
  if (!SHORT_RECORD.test(record)) throw new UnreadableError('its record');
  run.epoch = 1;
  readFlags(run, record);
  run.firstStartedAt = instantOf(record.slice(2, 15));
  run.startedAt = run.firstStartedAt;
  run.heartbeatAt = instantOf(record.slice(15, 28));
  if (run.state !== 'completed') return;
  run.settledBy = '1:complete';
  run.endedAt = instantOf(record.slice(28, 41));
  if (record.length > 41) run.result = record.slice(41);
}

function readLong(run: RunDraft, record: string, stack: string | undefined): void {
  const zero = record.indexOf('\0', HEAD);
  const second = record.indexOf('\0', zero + 1);
  if (!LONG_RECORD.test(record) || zero === -1 || second === -1) throw new UnreadableError('its record');
  readHead(run, record);
  if (zero > HEAD) run.settledBy = record.slice(HEAD, zero);
  if (second > zero + 1) Object.assign(run, readRest(record.slice(zero + 1, second)));
  if (stack !== undefined) run.errors = withStack(run.errors, stack);
  if (second + 1 < record.length) run.result = record.slice(second + 1);
}

/** What {@link encodeRest} wrote, as far as it has to be right for others to go on. */
function readRest(text: string): object {
  let rest: unknown;
  try {
    rest = JSON.parse(text);
  } catch {
    throw new UnreadableError('its record');
  }
  const isRest = typeof rest === 'object' && rest !== null && 'errors' in rest && Array.isArray(rest.errors);
  if (!isRest) throw new UnreadableError('its record');
  return rest as object; // just looked at
}

function decodeFresh(id: string, bodyText: string, apart: string | undefined): RunDraft {
  const { submittedAt, lane, payload, concurrency } = decodeBody(bodyText);
  if (payload === APART && apart === undefined) throw new UnreadableError('its payload');
  const run: RunDraft = newRun({
    id,
    lane,
    payload: payload === APART ? (apart ?? '') : payload,
    concurrency,
  });
  run.state = 'submitted';
  run.submittedAt = submittedAt;
  run.runAt = submittedAt;
  return run;
}

function readHead(run: RunDraft, record: string): void {
  readFlags(run, record);
  run.epoch = Number(record.slice(2, 12));
  run.submittedAt = instantOf(record.slice(12, 25));
  run.firstStartedAt = instantOf(record.slice(25, 38));
  run.startedAt = instantOf(record.slice(38, 51)) ?? run.firstStartedAt;
  run.heartbeatAt = instantOf(record.slice(51, 64));
  run.endedAt = instantOf(record.slice(64, 77));
  run.runAt = instantOf(record.slice(77, 93));
}

function readFlags(run: RunDraft, record: string): void {
  const flags = flagsOf(record);
  run.state = STATES[record[0] ?? ''] as RunState; // written by us
  if (flags % HAS_STACK >= 4) run.isDisposable = true;
  if (flags % 2 === 1) run.isCancelRequested = true;
}

/** Whether there is more to a run than its instants and its result. */
function hasPast(run: Run): boolean {
  const { failures, stalls, releases, rateLimits, redrives, resetEpoch, resetAt, previousDelayMs } = run;
  if (failures + stalls + releases + rateLimits + redrives + resetEpoch > 0) return true;
  return run.errors.length > 0 || previousDelayMs !== undefined || resetAt !== undefined;
}

function encodeRest(run: Run, errors: Run['errors']): string {
  if (!hasPast(run)) return '';
  const { failures, stalls, releases, rateLimits, redrives, resetEpoch, resetAt, previousDelayMs } = run;
  const counters = { failures, stalls, releases, rateLimits, redrives, resetEpoch, resetAt, previousDelayMs };
  return JSON.stringify(Object.assign(counters, { errors }));
}

function textOf(instant: number | undefined): string {
  if (instant === undefined) return NEVER;
  // 13 digits last until the year 2286.
  const whole = Math.min(Math.max(0, Math.ceil(instant)), 9_999_999_999_999);
  return whole >= 1_000_000_000_000 ? `${whole}` : `${whole}`.padStart(13, '0');
}

/** When a run is due, which may be as late as a number can say. */
function dueText(instant: number | undefined): string {
  return instant === undefined ? NOWHERE : `${keepableMs(instant)}`.padStart(16, '0');
}

function instantOf(text: string): number | undefined {
  const instant = Number(text);
  return instant === 0 ? undefined : instant;
}

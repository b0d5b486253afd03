import type { Run, RunDraft } from '@retry/core/broker';
import { newRun } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { decodeBody } from './body.ts';
import { flagsOf, HAS_STACK, IS_SHORT, splitErrors, withStack } from './stack.ts';

/**
 * The record of a run: a head of fixed width, which the scripts read and rewrite by position; what it was settled by, a
 * zero character; the rest as JSON, which only we read, a zero character; and its result.
 *
 * Head, counted from 0: state, flags (1 cancel requested, 2 holds its key, 4 disposable,
 * 8 has a stack; one character from '0' on), epoch in 10 digits, six
 * instants in 13 digits each (submitted, started, retried, heartbeat, completed, runAt; zeros when never), place in 16.
 *
 * A first start of a run that was never scheduled has a short record, and so has its completion: state, flags (16, and
 * 1 and 2 as above), started and heartbeat; a completed one has completed and its result, too. The rest is in its body.
 */
const HEAD = 106;
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
  rate_limited: 'L',
};

const STATES = Object.fromEntries(Object.entries(LETTERS).map(([state, letter]) => [letter, state]));

/** A record, and the stack that goes with it. */
export interface EncodedRecord {
  readonly text: string;
  readonly stack: string | undefined;
}

/** The record of a run that somebody settled or redrove; `settledBy` as text, empty when nobody settled it. */
export function encodeRecord(run: Run, settledBy: string): EncodedRecord {
  const { errors, stack } = splitErrors(run.errors);
  const flags = String.fromCharCode(
    48 + (run.isDisposable === true ? 4 : 0) + (stack === undefined ? 0 : HAS_STACK),
  );
  const letter = run.state === 'unsubmitted' ? 'w' : LETTERS[run.state];
  const { submittedAt, startedAt, retriedAt, heartbeatAt, completedAt, runAt } = run;
  const times =
    textOf(submittedAt) + textOf(startedAt) + textOf(retriedAt) + textOf(heartbeatAt) + textOf(completedAt);
  const head = `${letter}${flags}${epochText(run.epoch)}${times}${textOf(runAt)}${NOWHERE}`;
  return { text: `${head}${settledBy}\0${encodeRest(run, errors)}\0${run.result ?? ''}`, stack };
}

/** The short record of a run that completes at its first start; nothing where it needs the long one. */
export function encodeFirstCompletion(run: Run): string | undefined {
  const { id, state, epoch, startedAt, heartbeatAt, completedAt, result } = run;
  if (state !== 'completed' || epoch !== 1 || run.isDisposable === true || hasPast(run)) return undefined;
  if (run.runAt !== run.submittedAt || run.retriedAt !== undefined) return undefined;
  // Such an id is not told from a marked one in the list of what has finished.
  if (id.startsWith('\0')) return undefined;
  return `C@${textOf(startedAt)}${textOf(heartbeatAt)}${textOf(completedAt)}${result ?? ''}`;
}

/**
 * A short form for a run that completes later, from which the script makes its record: it has all but the instants and
 * the result already. Nothing where the run carries something else.
 */
export function encodeCompletion(run: Run): string {
  const { state, epoch, isDisposable, completedAt, heartbeatAt, result } = run;
  if (state !== 'completed' || epoch === 1 || isDisposable === true) return '';
  return `c${textOf(heartbeatAt)}${textOf(completedAt)}${result ?? ''}`;
}

/** An epoch as it stands in a record. */
export function epochText(epoch: number): string {
  return String(epoch).padStart(10, '0');
}

/** A run as it is after its first start. */
export function decodeFirstStart(id: string, bodyText: string, startedAt: number): Run {
  const run = decodeFresh(id, bodyText);
  run.state = 'started';
  run.epoch = 1;
  run.startedAt = startedAt;
  run.heartbeatAt = startedAt;
  return run;
}

/** The run of a body, its record and its stack; one that was never claimed has no record. */
export function decodeRun(id: string, bodyText: string, record: string | null, stack?: string): Run {
  const run = decodeFresh(id, bodyText);
  if (record === null) return run;
  if (flagsOf(record) >= IS_SHORT) readShort(run, record);
  else readLong(run, record, stack);
  return run;
}

function readShort(run: RunDraft, record: string): void {
  run.epoch = 1;
  readFlags(run, record);
  run.startedAt = instantOf(record.slice(2, 15));
  run.heartbeatAt = instantOf(record.slice(15, 28));
  if (run.state !== 'completed') return;
  run.settledBy = '1:complete';
  run.completedAt = instantOf(record.slice(28, 41));
  if (record.length > 41) run.result = record.slice(41);
}

function readLong(run: RunDraft, record: string, stack: string | undefined): void {
  readHead(run, record);
  const zero = record.indexOf('\0', HEAD);
  if (zero > HEAD) run.settledBy = record.slice(HEAD, zero);
  const second = record.indexOf('\0', zero + 1);
  if (second > zero + 1) Object.assign(run, JSON.parse(record.slice(zero + 1, second)));
  if (stack !== undefined) run.errors = withStack(run.errors, stack);
  if (second + 1 < record.length) run.result = record.slice(second + 1);
}

function decodeFresh(id: string, bodyText: string): RunDraft {
  const { at, lane, payload, concurrency } = decodeBody(bodyText);
  const run: RunDraft = newRun({ id, lane, payload, concurrency });
  run.state = 'submitted';
  run.submittedAt = instantOf(at);
  run.runAt = run.submittedAt;
  return run;
}

function readHead(run: RunDraft, record: string): void {
  readFlags(run, record);
  run.epoch = Number(record.slice(2, 12));
  run.submittedAt = instantOf(record.slice(12, 25));
  run.startedAt = instantOf(record.slice(25, 38));
  run.retriedAt = instantOf(record.slice(38, 51));
  run.heartbeatAt = instantOf(record.slice(51, 64));
  run.completedAt = instantOf(record.slice(64, 77));
  run.runAt = instantOf(record.slice(77, 90));
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
  // Fractions are rounded up, so that nothing is early; 13 digits last until the year 2286.
  const whole = Math.min(Math.max(0, Math.ceil(instant)), 9_999_999_999_999);
  return whole >= 1_000_000_000_000 ? `${whole}` : `${whole}`.padStart(13, '0');
}

function instantOf(text: string): number | undefined {
  return text === NEVER ? undefined : Number(text);
}

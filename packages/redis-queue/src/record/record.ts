import type { Run, Spent } from '@retry/core/broker';
import type { HistoryField, RunDraft, StoredCheck, TrimmedText } from '@retry/core/broker/kit';
import {
  carrySpent,
  HISTORY_CHECKS,
  hasPast,
  keepableMs,
  newRun,
  packErrors,
  readStored,
  STATE_LETTERS,
  settledBy,
  storedHistory,
} from '@retry/core/broker/kit';
import { isDeadLetter, isEnd } from '@retry/core/lifecycle';
import { APART, isKeptApart, splitErrors, withStack } from './apart.ts';
import { decodeBody, hasPayloadApart, UnreadableError } from './body.ts';
import type { FieldRange, KeptState } from './layout.ts';
import {
  ALL_FLAGS,
  epochText,
  FIRST_COMPLETION,
  FIRST_START,
  flagText,
  hasFlag,
  LATER_COMPLETION,
  LATER_COMPLETION_MARK,
  RECORD,
  widthOf,
  writeFields,
} from './layout.ts';

/** A record, and the long texts that go with it. */
interface EncodedRecord {
  readonly text: string;
  readonly stack: string | undefined;
  /** A result that is kept apart. */
  readonly result?: string | undefined;
}

/**
 * The record of a run that was settled or redriven.
 *
 * @param settledBy - empty when it was never settled
 * @param errorGroup - what it is to be counted under, of a dead letter only
 */
export function encodeRecord(run: Run, settledBy: string, errorGroup?: string): EncodedRecord {
  const { errors, stack } = splitErrors(run.errors);
  const head = writeFields(RECORD, {
    state: STATE_LETTERS[keptState(run)],
    flags: flagText(
      ...(run.isDisposable === true ? (['disposable'] as const) : []),
      ...(stack === undefined ? [] : (['hasStack'] as const)),
    ),
    epoch: epochText(run.epoch),
    submittedAt: instantText(run.submittedAt),
    firstStartedAt: instantText(run.firstStartedAt),
    startedAt: instantText(run.startedAt),
    heartbeatAt: instantText(run.heartbeatAt),
    endedAt: instantText(run.endedAt),
    runAt: dueText(run.runAt),
    laneSeq: NO_LANE_SEQ,
  });
  const { result = '' } = run;
  const text = `${head}${settledBy}\0${encodeRest(run, errors, errorGroup)}\0${isKeptApart(result) ? APART : result}`;
  return isKeptApart(result) ? { text, stack, result } : { text, stack };
}

/** The short record of a run that completes at its first start; `undefined` where it needs the long one. */
export function encodeFirstCompletion(run: Run): string | undefined {
  const { state, epoch, startedAt, heartbeatAt, endedAt, result } = run;
  if (state !== 'completed' || epoch !== 1 || run.isDisposable === true || hasPast(run)) return undefined;
  // A run that was scheduled has other instants than those of its body.
  if (run.submittedAt !== run.createdAt || run.runAt !== run.createdAt) return undefined;
  if (run.startedAt !== run.firstStartedAt) return undefined;
  if (result !== undefined && isKeptApart(result)) return undefined;
  return firstCompletionHead({ startedAt, heartbeatAt, endedAt }) + (result ?? '');
}

/** The instants of a first completion. */
type CompletedAt = Pick<Run, 'startedAt' | 'heartbeatAt' | 'endedAt'>;

let latestHead: CompletedAt & { readonly text: string } = { text: '' };

/** Runs that start with one claim and end in one millisecond share it, so the latest one is remembered. */
function firstCompletionHead({ startedAt, heartbeatAt, endedAt }: CompletedAt): string {
  const isSame =
    latestHead.endedAt === endedAt &&
    latestHead.startedAt === startedAt &&
    latestHead.heartbeatAt === heartbeatAt;
  if (isSame && latestHead.text !== '') return latestHead.text;
  const text = writeFields(FIRST_COMPLETION, {
    state: STATE_LETTERS.completed,
    flags: SHORT,
    startedAt: instantText(startedAt),
    heartbeatAt: instantText(heartbeatAt),
    endedAt: instantText(endedAt),
  });
  latestHead = { startedAt, heartbeatAt, endedAt, text };
  return text;
}

/**
 * A short form of a run that completes at a later start, from which the script makes its record: the script has the rest
 * already. Empty where the run needs the long form.
 */
export function encodeLaterCompletion(run: Run): string {
  const { state, epoch, isDisposable, endedAt, heartbeatAt, result = '' } = run;
  if (state !== 'completed' || epoch === 1 || isDisposable === true) return '';
  const head = writeFields(LATER_COMPLETION, {
    mark: LATER_COMPLETION_MARK,
    epoch: epochText(epoch),
    heartbeatAt: instantText(heartbeatAt),
    endedAt: instantText(endedAt),
  });
  return head + (isKeptApart(result) ? APART : result);
}

const INSTANT_DIGITS = widthOf(RECORD, 'submittedAt');
const DUE_DIGITS = widthOf(RECORD, 'runAt');
const LAST_INSTANT = 10 ** INSTANT_DIGITS - 1;
const NEVER = '0'.repeat(INSTANT_DIGITS);
const NEVER_DUE = '0'.repeat(DUE_DIGITS);
const NO_LANE_SEQ = '0'.repeat(widthOf(RECORD, 'laneSeq'));
const SHORT = flagText('short');

function keptState({ state }: Run): KeptState {
  return state === 'unsubmitted' ? 'submitted' : state;
}

/**
 * Counters that are zero are left out: scripts copy this text with every move. The group comes first, and before the errors the
 * counters, as the scripts read these of dead letters.
 */
function encodeRest(run: Run, errors: Run['errors'], errorGroup: string | undefined): string {
  if (errorGroup === undefined && !hasPast(run)) return '';
  return JSON.stringify({ errorGroup, ...storedHistory(run), errors: packErrors(errors) });
}

function instantText(instant: number | undefined): string {
  if (instant === undefined) return NEVER;
  const whole = Math.min(Math.max(0, Math.ceil(instant)), LAST_INSTANT);
  return `${whole}`.padStart(INSTANT_DIGITS, '0');
}

/** The instant when a run is due, up to `MAX_INSTANT_AT`. */
function dueText(instant: number | undefined): string {
  return instant === undefined ? NEVER_DUE : `${keepableMs(instant)}`.padStart(DUE_DIGITS, '0');
}

/** Texts of a run that are kept apart from its body and record, as far as they were read. */
interface ApartTexts {
  readonly stack?: string | undefined;
  readonly payload?: string | undefined;
  readonly result?: string | undefined;
}

/** A body and its record; a run that was never claimed has none. */
export interface KeptTexts extends ApartTexts {
  readonly body: string;
  readonly record: string | null;
}

/** What the server replies about a run at its first start. */
export interface FirstStart {
  readonly startedAt: number;
  /** The payload, where it is kept apart. */
  readonly payload?: string | undefined;
}

/**
 * Returns the run of a body and its record. Texts that are kept apart and were not read are empty; of a run in the list of finished
 * ones, retention has deleted them.
 *
 * @throws {UnreadableError} for texts that the broker did not write
 */
export function decodeRun(id: string, { body, record, stack, payload, result }: KeptTexts): Run {
  const { run, spent } = decodeUnclaimed(id, body, payload ?? '');
  if (record !== null && hasFlag(record, 'short')) readShort(run, record);
  else if (record !== null) readLong(run, record, stack);
  carrySpent(run, spent);
  const isResultApart = run.result === APART;
  if (isResultApart) run.result = result;
  if (isFinished(run)) {
    const trimmed: TrimmedText[] = [];
    if (payload === undefined && hasPayloadApart(body)) trimmed.push('payload');
    if (result === undefined && isResultApart) trimmed.push('result');
    if (trimmed.length > 0) run.trimmed = trimmed;
  }
  return run;
}

/** Whether the run is in the list of finished ones, or its result is kept for a caller. */
function isFinished({ state, isDisposable }: Run): boolean {
  return isEnd(state) && (!isDeadLetter(state) || isDisposable === true);
}

/** Returns a run as it is after its first start. */
export function decodeFirstStart(id: string, body: string, first: FirstStart): Run {
  const { run, spent } = decodeUnclaimed(id, body, first.payload);
  const { startedAt } = first;
  run.state = 'started';
  run.epoch = 1;
  run.firstStartedAt = startedAt;
  run.startedAt = startedAt;
  run.heartbeatAt = startedAt;
  carrySpent(run, spent);
  return run;
}

/** Returns whether the record has a result that is kept apart. */
export function hasResultApart(record: string): boolean {
  return record.endsWith(APART);
}

const STATES = new Map<string | undefined, KeptState>(
  Object.entries(STATE_LETTERS).map(([state, letter]) => [letter, state as KeptState]), // its own keys
);
const ANY_FLAGS = `[${flagText()}-${flagText(...ALL_FLAGS)}]`;
const ANY_STATE = `[${Object.values(STATE_LETTERS).join('')}]`;
const SHORT_STATE = `[${STATE_LETTERS.started}${STATE_LETTERS.completed}]`;
const SHORT_RECORD = new RegExp(
  `^${SHORT_STATE}${ANY_FLAGS}\\d{${FIRST_START.fields.heartbeatAt.end - FIRST_START.fields.flags.end}}`,
);
const LONG_RECORD = new RegExp(`^${ANY_STATE}${ANY_FLAGS}\\d{${RECORD.length - RECORD.fields.flags.end}}`);

/** A run without its record. */
interface Unclaimed {
  readonly run: RunDraft;
  /** What it brought along, which is to be written into it once its record has been read. */
  readonly spent: Spent | undefined;
}

/** Returns the run of a body alone, which waits for its first claim. */
function decodeUnclaimed(id: string, body: string, apart: string | undefined): Unclaimed {
  const { createdAt, lane, payload, concurrency, fairnessKey, extras } = decodeBody(body);
  if (payload === APART && apart === undefined) throw new UnreadableError('its payload');
  const run: RunDraft = newRun({
    id,
    lane,
    payload: payload === APART ? (apart ?? '') : payload,
    concurrency,
    fairnessKey,
    retry: extras.retry,
    origin: extras.origin,
    context: extras.context,
  });
  run.state = 'submitted';
  run.createdAt = createdAt;
  run.submittedAt = createdAt;
  run.runAt = createdAt;
  return { run, spent: extras.spent };
}

function readShort(run: RunDraft, record: string): void {
  if (!SHORT_RECORD.test(record)) throw new UnreadableError('its record');
  run.epoch = 1;
  readStateAndFlags(run, record);
  run.firstStartedAt = instantIn(record, FIRST_START.fields.startedAt);
  run.startedAt = run.firstStartedAt;
  run.heartbeatAt = instantIn(record, FIRST_START.fields.heartbeatAt);
  if (run.state !== 'completed') return;
  run.settledBy = settledBy(1, 'complete');
  run.endedAt = instantIn(record, FIRST_COMPLETION.fields.endedAt);
  if (record.length > FIRST_COMPLETION.length) run.result = record.slice(FIRST_COMPLETION.length);
}

function readLong(run: RunDraft, record: string, stack: string | undefined): void {
  const zero = record.indexOf('\0', RECORD.length);
  const second = record.indexOf('\0', zero + 1);
  if (!LONG_RECORD.test(record) || zero === -1 || second === -1) throw new UnreadableError('its record');
  readFields(run, record);
  if (zero > RECORD.length) run.settledBy = record.slice(RECORD.length, zero);
  if (second > zero + 1) Object.assign(run, readRest(record.slice(zero + 1, second)));
  if (stack !== undefined) run.errors = withStack(run.errors, stack);
  if (second + 1 < record.length) run.result = record.slice(second + 1);
}

function readFields(run: RunDraft, record: string): void {
  const { fields } = RECORD;
  readStateAndFlags(run, record);
  run.epoch = Number(record.slice(fields.epoch.from, fields.epoch.end));
  run.submittedAt = instantIn(record, fields.submittedAt);
  run.firstStartedAt = instantIn(record, fields.firstStartedAt);
  run.startedAt = instantIn(record, fields.startedAt);
  run.heartbeatAt = instantIn(record, fields.heartbeatAt);
  run.endedAt = instantIn(record, fields.endedAt);
  run.runAt = instantIn(record, fields.runAt);
}

/** Returns the state of a run whose record may be anything; of text without one that of a run that waits, which the next claim reads. */
export function stateOfRecord(record: string | null): KeptState {
  return STATES.get(record?.[RECORD.fields.state.from]) ?? 'submitted';
}

function readStateAndFlags(run: RunDraft, record: string): void {
  const state = STATES.get(record[RECORD.fields.state.from]);
  if (state === undefined) throw new UnreadableError('its record');
  run.state = state;
  if (hasFlag(record, 'disposable')) run.isDisposable = true;
  if (hasFlag(record, 'cancelRequested')) run.isCancelRequested = true;
}

/** Reads counters and errors. */
function readRest(text: string): object {
  const rest = readStored(text, REST);
  if (rest?.errors === undefined) throw new UnreadableError('its record');
  return rest;
}

const REST: Readonly<Record<HistoryField | 'errorGroup', StoredCheck>> = {
  ...HISTORY_CHECKS,
  errorGroup: (value) => typeof value === 'string',
};

function instantIn(record: string, { from, end }: FieldRange): number | undefined {
  const instant = Number(record.slice(from, end));
  return instant === 0 ? undefined : instant;
}

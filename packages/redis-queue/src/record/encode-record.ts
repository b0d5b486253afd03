import type { Run } from '@retry/core/broker';
import { hasPast, keepableMs, packErrors, STATE_LETTERS, storedHistory } from '@retry/core/broker/kit';
import { APART, isKeptApart, splitErrors } from './apart.ts';
import type { KeptState } from './layout.ts';
import {
  FIRST_COMPLETION,
  flagText,
  LATER_COMPLETION,
  LATER_COMPLETION_MARK,
  RECORD,
  widthOf,
  writeFields,
} from './layout.ts';

/** A record, and the long texts that go with it. */
export interface EncodedRecord {
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

/** An epoch as a record has it; one that no record can have is that of a run that was never claimed, so that nothing is settled by it. */
export function epochText(epoch: number): string {
  const isKept = epoch >= 0 && epoch <= LAST_EPOCH;
  return String(isKept ? epoch : 0).padStart(EPOCH_DIGITS, '0');
}

const EPOCH_DIGITS = widthOf(RECORD, 'epoch');
const LAST_EPOCH = 10 ** EPOCH_DIGITS - 1;
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

/** The column `record`: what the latest settlement wrote of a run, as JSON, as far as no other column has it. */
import type { Run, Settlement } from '@retry/core/broker';
import type { FieldOf, HistoryField, StoredCheck } from '@retry/core/broker/kit';
import {
  fieldsOf,
  HISTORY_CHECKS,
  hasPast,
  packErrors,
  readStored,
  settledBy,
  storedHistory,
} from '@retry/core/broker/kit';

type RecordKey = HistoryField | FieldOf<'past' | 'due' | 'flag' | 'settlement'>;

/** A record, as far as it differs from that of a new run. */
export type StoredRecord = { readonly [Key in RecordKey]?: Run[Key] };

const INSTANTS = fieldsOf('past', 'due');
const CHECKS: Readonly<Record<RecordKey, StoredCheck>> = {
  ...(Object.fromEntries(INSTANTS.map((key) => [key, Number.isFinite])) as Record<
    (typeof INSTANTS)[number],
    StoredCheck
  >), // each of them
  ...HISTORY_CHECKS,
  settledBy: (value) => typeof value === 'string',
  isDisposable: (value) => typeof value === 'boolean',
};

/** Reads a record. Returns `undefined` for anything that this package has not written. */
export function readRecord(text: string): StoredRecord | undefined {
  return readStored(text, CHECKS);
}

/**
 * Returns whether the columns are enough: the run completed at its first attempt, and neither a failure nor a heartbeat is
 * recorded.
 */
export function needsNoRecord({ epoch, event, next }: Settlement): boolean {
  const isFirst = event === 'complete' && next.state === 'completed' && epoch === 1;
  return isFirst && next.heartbeatAt === next.startedAt && hasNoPast(next);
}

/**
 * Returns whether the columns are enough of a run that was changed: it was never claimed, nor a dead letter. Its first completion, which
 * drops the record, then finds in a column when it was created.
 */
export function isFresh(run: Run): boolean {
  const { state, runAt, submittedAt } = run;
  if (run.epoch > 0 || state === 'completed' || !hasNoPast(run)) return false;
  return state !== 'submitted' || runAt === submittedAt;
}

function hasNoPast(run: Run): boolean {
  return !hasPast(run) && run.isDisposable === undefined;
}

/**
 * Writes the record of a settlement as JSON: everything that no column has. Counters that are 0 and instants that are
 * absent are left out, and `createdAt` where it is the same as `submittedAt`.
 */
export function writeRecord({ epoch, event, next }: Settlement): string {
  return recordOf(next, settledBy(epoch, event));
}

/** Writes the record of a run that was changed, as of its latest settlement. */
export function recordOf(next: Run, by: string | undefined): string {
  const text = JSON.stringify({
    createdAt: next.createdAt === next.submittedAt ? undefined : next.createdAt,
    submittedAt: next.submittedAt,
    runAt: next.runAt,
    firstStartedAt: next.firstStartedAt,
    startedAt: next.startedAt,
    heartbeatAt: next.heartbeatAt,
    endedAt: next.endedAt,
    settledBy: by,
    ...storedHistory(next),
    isDisposable: next.isDisposable,
    errors: next.errors.length > 0 ? packErrors(next.errors) : undefined,
  } satisfies Record<RecordKey, unknown>);
  return keepable(text);
}

/** Returns the name of the latest error, if there is one. */
export function errorNameOf({ errors }: Run): string | undefined {
  const name = errors.at(-1)?.name;
  return name === undefined ? undefined : cleanText(name);
}

/** U+0000 and halves of surrogate pairs: errors may contain them, and Postgres accepts them in no JSON. */
const UNKEEPABLE = /\\u(0000|d[89a-f])/i;

function keepable(text: string): string {
  return UNKEEPABLE.test(text) ? JSON.stringify(JSON.parse(text, cleanValue)) : text;
}

function cleanValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? cleanText(value) : value;
}

function cleanText(text: string): string {
  return SUSPECT.test(text) ? text.replaceAll(UNPAIRED, '\uFFFD') : text;
}

const SUSPECT = /[\0\uD800-\uDFFF]/;
const UNPAIRED = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

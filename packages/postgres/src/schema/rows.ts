/** What functions reply, and in which order: SQL files write lists in the order that is given here. */
import type { Concurrency } from '@retry/core/broker';
import { STATE_LETTERS } from '@retry/core/broker/kit';
import type { EndState, RunState } from '@retry/core/lifecycle';

/** A run as a reply shows it. */
export interface RunRow {
  readonly id: string;
  readonly lane: string;
  readonly payload: string;
  readonly state: RunState;
  readonly epoch: number;
  /** Null where it is the same as `submittedAt`. */
  readonly createdAt: number | null;
  readonly submittedAt: number | null;
  readonly runAt: number | null;
  readonly claimedAt: number | null;
  readonly heartbeatAt: number | null;
  readonly endedAt: number | null;
  readonly isCancelRequested: boolean;
  readonly result: string | null;
  readonly record: string | null;
  readonly key: string | null;
  readonly keyLimit: number | null;
  readonly keyWaits: boolean | null;
  readonly keepsKey: boolean | null;
  readonly fairnessKey: string | null;
  readonly extras: string | null;
  readonly errorGroup: string | null;
  /** What `change_runs` recognises it by; null where the payload is shown. */
  readonly seen: string | null;
}

/** A run in a reply: the values of a {@link RunRow} in the order of {@link RUN_FIELDS}. */
export type RunValues = readonly unknown[];

const ALL_FIELDS = {
  ...{ id: true, lane: true, payload: true, state: true, epoch: true },
  ...{ createdAt: true, submittedAt: true, runAt: true, claimedAt: true, heartbeatAt: true, endedAt: true },
  ...{ isCancelRequested: true, result: true, record: true },
  ...{ key: true, keyLimit: true, keyWaits: true, keepsKey: true, fairnessKey: true },
  ...{ extras: true, errorGroup: true, seen: true },
} as const satisfies Readonly<Record<keyof RunRow, true>>;

/** The names of the values of a run, in their order. */
export const RUN_FIELDS: readonly (keyof RunRow)[] = Object.keys(ALL_FIELDS) as (keyof RunRow)[]; // its own keys

/** Names the values of a run. */
export function readRow(values: RunValues): RunRow {
  const row = Object.fromEntries(RUN_FIELDS.map((name, index) => [name, values[index]]));
  return row as unknown as RunRow; // what our own function replies, by the same list
}

/** What ends `seen` of a run whose payload retention has deleted. */
export const TRIMMED_MARK = '-';

/** What replaces a payload or a result that retention has deleted: no JSON. */
export const TRIMMED = '\u0001trimmed';

/** Runs that one claim started in one lane, column by column: what SQL replies as JSON has these names. */
export interface ClaimedRows {
  readonly lane: string;
  /** When they were started, and until when they are leased. */
  readonly at: number;
  readonly until: number;
  readonly ids: readonly string[];
  /** Their order in the lane. */
  readonly laneSeqs: readonly number[];
  /** Where their rows are in the table; absent where they were claimed one by one. */
  readonly rowsAt?: readonly string[] | undefined;
  readonly epochs: readonly number[];
  readonly payloads: readonly string[];
  readonly submittedAts: readonly (number | null)[];
  readonly runAts: readonly (number | null)[];
  readonly records: readonly (string | null)[];
  readonly extras: readonly (string | null)[];
  /** The `createdAt` of runs by id, where it is not their `submittedAt`; null if there are none. */
  readonly createdAts: Readonly<Record<string, number>> | null;
  /** Null in a repeated claim. */
  readonly concurrency?: Concurrency | null;
  /** The key of the only run; absent where several were claimed together, none of which has a key. */
  readonly fairnessKey?: string | null;
  readonly isOverLimit?: boolean;
}

/** The columns that a claim of plain runs always has, in the order of the rows of a reply, or of the lines of a run. */
export const PLAIN_COLUMNS = ['lanes', 'ids', 'laneSeqs', 'rowsAt', 'payloads', 'submittedAts'] as const;

/** The columns of runs that were scheduled or executed before, or submitted with more than a payload: they follow where any run has one. */
export const RARE_COLUMNS = ['runAts', 'epochs', 'records', 'createdAts', 'extras'] as const;

/** The name of a column of the reply. */
export type LineColumn = (typeof PLAIN_COLUMNS)[number] | (typeof RARE_COLUMNS)[number];

/** All of them. */
export const LINE_COLUMNS: readonly LineColumn[] = [...PLAIN_COLUMNS, ...RARE_COLUMNS];

/** Splits the lines of a column. What may contain it travels in another way. */
export const LINE_BREAK = '\n';

/**
 * The letters of the lifecycle are core's. An end state has its capital letter, and the run may be forgotten by retention. Its small
 * letter is a dead letter: kept until it is redriven or discarded.
 */
/** The small letter of an end state. */
export function deadLetterOf(name: EndState): string {
  return STATE_LETTERS[name].toLowerCase();
}

/**
 * The columns of what functions reply, each with the SQL expression that fills it: one ordered list, from which the SQL
 * texts are made and by which TypeScript reads the replies.
 */
import type { Concurrency } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import { isTrimmed } from './exchange/long-texts.ts';
import { nextEpoch } from './fragments.ts';
import { state } from './letters.ts';

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
  readonly extras: string | null;
  readonly errorGroup: string | null;
  /** What `change_runs` recognises it by; null where the payload is shown. */
  readonly seen: string | null;
}

/** A run in a reply: the values of a {@link RunRow} in the order of the columns. */
export type RunValues = readonly unknown[];

/** What ends `seen` of a run whose payload retention has deleted. */
export const TRIMMED_MARK = '-';

/**
 * What the row of a run is recognised by: each move changes its order, its epoch or its state. A claim that has not written into the row
 * counts as if it had, by the condition `isStarted`. Where retention has deleted the payload, a mark follows.
 */
export function seenOf(run: string, isStarted: string): string {
  const started = `concat(${state('started')}, ${nextEpoch(`${run}.epoch`)}, '.', ${run}.ord)`;
  const mark = `case when ${isTrimmed(run)} then '${TRIMMED_MARK}' end`;
  const other = `concat(${run}.state, ${run}.epoch, '.', ${run}.ord, ${mark})`;
  return isStarted === 'false' ? other : `case when ${isStarted} then ${started} else ${other} end`;
}

/** In `show_runs`: `r` is the row of `run`, `l` the claim that started it without writing into the row, if any. */
const RUN_COLUMNS = {
  id: 'r.id',
  lane: 'r.lane',
  payload: "case when p_payloads then r.payload else '' end",
  state: `state_name(case when l.id is null then r.state else ${state('started')} end)`,
  epoch: `case when l.id is null then r.epoch else ${nextEpoch('r.epoch')} end`,
  createdAt: 'r.created_at',
  submittedAt: 'r.submitted_at',
  runAt: 'r.run_at',
  claimedAt: 'coalesce(r.claimed_at, l.at)',
  heartbeatAt: 'coalesce(r.heartbeat_at, l.at)',
  endedAt: 'r.ended_at',
  isCancelRequested: 'r.wants_cancel',
  result: 'case when p_payloads then r.result end',
  record: 'r.record',
  key: 'r.key',
  keyLimit: 'r.key_limit',
  keyWaits: 'r.key_waits',
  keepsKey: 'r.keeps_key',
  extras: 'r.extras',
  errorGroup: 'r.error_group',
  seen: `case when not p_payloads then ${seenOf('r', 'l.id is not null')} end`,
} as const satisfies Readonly<Record<keyof RunRow, string>>;

const RUN_NAMES = Object.keys(RUN_COLUMNS);

/** The values of a run, as `show_runs` replies them. */
export const SHOWN_RUN: string = `json_build_array(
    ${Object.values(RUN_COLUMNS).join(',\n    ')})`;

/** Names the values of a run. */
export function readRow(values: RunValues): RunRow {
  const row = Object.fromEntries(RUN_NAMES.map((name, index) => [name, values[index]]));
  return row as unknown as RunRow; // what our own function replies, by the list that made it
}

/** Runs that one claim started in one lane, column by column. */
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
  /** By id, where it is not `submittedAt`; null where that is so of none. */
  readonly createdAts: Readonly<Record<string, number>> | null;
  /** Null in a repeated claim. */
  readonly concurrency?: Concurrency | null;
  readonly isOverLimit?: boolean;
}

/** What has an element for each run. */
const CLAIM_COLUMNS = {
  ids: 'id',
  laneSeqs: 'ord',
  epochs: 'epoch + 1',
  payloads: 'payload',
  submittedAts: 'submitted_at',
  runAts: 'run_at',
  records: 'record',
  extras: 'extras',
} as const satisfies Partial<Readonly<Record<keyof ClaimedRows, string>>>;

/** Several claimed runs of the lane `p_lane` as JSON text, from rows that have these columns. */
export const CLAIMED_TEXT: string = `concat('{"lane":', to_json(p_lane), ',"at":', p_now, ',"until":', p_lease_until,
      ${Object.entries(CLAIM_COLUMNS)
        .map(([name, column]) => `',"${name}":', json_agg(${column}),`)
        .join(' ')}
      ',"createdAts":', coalesce(json_object_agg(id, created_at) filter (where created_at is not null), 'null'), '}')`;

/** One claimed run as JSON. @param run - its row as it waited @param more - further fields, an SQL expression each */
export function claimedOne(
  run: string,
  more: Readonly<Record<'lane' | 'at' | 'until' | 'concurrency' | 'isOverLimit', string>>,
): string {
  const lists = Object.entries(CLAIM_COLUMNS).map(
    ([name, column]) => `'${name}', json_build_array(${run}.${column})`,
  );
  const fields = [
    ...lists,
    `'createdAts', case when ${run}.created_at is not null then json_build_object(${run}.id, ${run}.created_at) end`,
    ...Object.entries(more).map(([name, text]) => `'${name}', ${text}`),
  ];
  return `json_build_object(\n        ${fields.join(',\n        ')})`;
}

/** A concurrency key and what it allows, of the row `run`. */
export function concurrencyOf(run: string): string {
  const whenFull = `case when ${run}.key_waits then 'wait' else 'claim' end`;
  const fields = `'key', ${run}.key, 'limit', ${run}.key_limit, 'whenFull', ${whenFull}`;
  return `case when ${run}.keeps_key then json_build_object(${fields}, 'holdWhileRetrying', true)
        else json_build_object(${fields}) end`;
}

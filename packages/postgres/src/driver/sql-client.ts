import { PostgresBrokerError } from '../errors.ts';

/**
 * What a broker needs of a client: a `pg` pool or client, PGlite, or anything else that sends one statement with its
 * values. It names no type of a driver, so that no driver has to be installed.
 */
export interface SqlClient {
  /** Sends one statement, in which `$1`, `$2` and so on stand for the values. */
  readonly query: (text: string, values?: unknown[]) => Promise<SqlResult>;
}

/** The rows that a statement returned. */
export interface SqlResult {
  /** Objects, by the names of their columns. */
  readonly rows: readonly unknown[];
}

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Returns the rows of a statement that returns one at least. Any client with `query` may be given, also as `tx`, and answer anything.
 *
 * @throws {PostgresBrokerError} `CHANGED_REPLY`
 */
export function readRows(result: unknown): readonly [Row, ...Row[]] {
  const rows: unknown = isRow(result) ? result['rows'] : undefined;
  if (!Array.isArray(rows)) throw withoutRows(rows === undefined ? 'no rows' : `rows of type ${typeof rows}`);
  if (rows.length === 0) throw withoutRows('rows: []');
  if (!rows.every(isRow)) throw withoutRows('rows that are no objects');
  return rows as unknown as [Row, ...Row[]]; // checked just now
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutRows(seen: string): PostgresBrokerError {
  const message = `the client answered with ${seen} where the server returns a row: whether the call did its work is unknown. Use one whose query(text, values) sends the statement and resolves to { rows }, objects by the names of columns.`;
  return new PostgresBrokerError('CHANGED_REPLY', message);
}

/** What is said of a reply that the server sends as text and the client made something else of. */
export function changedReply(reply: unknown): PostgresBrokerError {
  const message = `the client made a value of type ${typeof reply} of a reply that is text. Use one that has no parser for text (type 25), and whose rows are objects.`;
  return new PostgresBrokerError('CHANGED_REPLY', message);
}

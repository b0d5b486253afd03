/**
 * The usual reply to a claim: a text for each column, with a line for each run. It takes a third of the time of JSON, which
 * escapes every payload once more.
 */

/** From this size on, in bytes, a payload is a row of the reply: the server sends it as it is stored. */
const LARGE_BYTES = 2_000;

/** Splits the lines of a column. What may contain it travels in another way. */
export const LINE_BREAK = '\n';

/** Whether a text has no line break; null where it has none of its own. */
export const isOneLine = (text: string): string => `strpos(${text}, chr(10)) = 0`;

/**
 * The payload as a line. It is empty for a payload that is a row of its own: one that is large, empty, or has line breaks.
 */
export const payloadLine = (run: string): string =>
  `case when octet_length(${run}.payload) < ${LARGE_BYTES} and ${isOneLine(`${run}.payload`)} then ${run}.payload else '' end`;

/** A value as a line, null as an empty one. */
const lineOf = (column: string): string => `coalesce((${column})::text, '')`;

/** Joins the values of a column. */
const join = (column: string): string => `string_agg(${lineOf(column)}, chr(10))`;

/** The name of a column of the reply. */
export type LineColumn =
  | 'lanes'
  | 'ids'
  | 'laneSeqs'
  | 'rowsAt'
  | 'payloads'
  | 'submittedAts'
  | 'runAts'
  | 'epochs'
  | 'records'
  | 'createdAts'
  | 'extras';

type RareColumn = 'runAts' | 'epochs' | 'records' | 'createdAts' | 'extras';

/** The columns that a claim of plain runs always has. */
const COLUMNS: Readonly<Record<Exclude<LineColumn, RareColumn>, string>> = {
  // Which of the asked lanes each run is of, from 1; one line where all are of the same.
  lanes: `case when min(n) = max(n) then min(n)::text else ${join('n')} end`,
  ids: 'string_agg(id, chr(10))',
  laneSeqs: join('ord'),
  rowsAt: join('row_at'),
  payloads: 'string_agg(line, chr(10))',
  // One line where all are the same.
  submittedAts: `case when min(submitted_at) = max(submitted_at) and count(submitted_at) = count(*)
        then min(submitted_at)::text else ${join('submitted_at')} end`,
};

/** The same of a single run `r` at its place `l`. */
const VALUES: Readonly<Record<keyof typeof COLUMNS, string>> = {
  lanes: 'l.n',
  ids: 'l.id',
  laneSeqs: 'l.ord',
  rowsAt: 'l.row_at',
  payloads: payloadLine('r'),
  submittedAts: 'submitted_at',
};

/**
 * The columns of runs that were scheduled or executed before, or submitted with more than a payload. Of other runs, each has the
 * value that `isUsual` asks for, and is left out.
 */
const RARE_COLUMNS: Readonly<Record<RareColumn, { readonly value: string; readonly isUsual: string }>> = {
  runAts: { value: 'run_at', isUsual: 'run_at is not distinct from submitted_at' },
  epochs: { value: 'epoch + 1', isUsual: 'epoch = 0' },
  records: { value: 'record', isUsual: 'record is null' },
  createdAts: { value: 'created_at', isUsual: 'created_at is null' },
  extras: { value: 'extras', isUsual: 'extras is null' },
};

/** All of them, in the order of the rows of a reply. */
export const LINE_COLUMNS: readonly LineColumn[] = [
  ...Object.keys(COLUMNS),
  ...Object.keys(RARE_COLUMNS),
] as LineColumn[]; // the keys of the tables

const RARE = Object.values(RARE_COLUMNS);

const NO_RARE = `array[${RARE.map(() => 'null').join(', ')}]::text[]`;
const IS_USUAL = RARE.map(({ isUsual }) => isUsual).join(' and ');

/** All columns of the runs in `from`, as one array of texts; the rare ones, only where any run needs one, in one subquery. */
export const linesOf = (from: string): string => `array[
        ${Object.values(COLUMNS).join(',\n        ')}]
        || case when bool_and(${IS_USUAL}) is not true then (
          select array[${RARE.map(({ value }) => join(value)).join(', ')}] from ${from}) else ${NO_RARE} end`;

/**
 * The columns of a single run, in the same order, as lines of one text: what few runs are sent as, because to make and to send a row
 * costs more than to make such a text.
 */
export const RUN_LINES: string = `concat_ws(chr(10), ${Object.values(VALUES).map(lineOf).join(', ')},
          case when not (${IS_USUAL}) then concat_ws(chr(10), ${RARE.map(({ value }) => lineOf(value)).join(', ')}) end)`;

/** Fragments of SQL texts: a value is written beside the name of its column. */

/**
 * Finds the row of an id in a table whose primary key begins with a hash of the id.
 *
 * `between` for the reason of `isSame`; it finds as fast as `=`, and few ids share a hash.
 */
export const hasId = (row: string, id: string): string =>
  `(${row}.hash between hashtext(${id}) and hashtext(${id}) and ${row}.id = ${id})`;

/**
 * `column = value` where a table is joined by an index whose first column this is.
 *
 * By `=` the planner could merge, so it considers to read the index as a whole, also where `enable_mergejoin` is off. Where a plan is
 * made while the table has hardly a row, and was vacuumed so, that costs no more than to look one row up; a connection keeps its
 * plans until the next analysis, and by then there may be very many rows.
 */
export const isSame = (column: string, value: string): string => `${column} = any (array[${value}])`;

/**
 * Finds the row of a run where it was when it was last written, which takes a fifth of the time of `hasId`. What remembers a
 * `ctid` has to look by the id as well where this finds nothing: an update moves a row, and so do `vacuum full` and a restore.
 *
 * `is true` keeps the planner from the index by id, which it would read as a whole, since that begins with the hash.
 */
export const isAt = (row: string, rowAt: string, id: string): string =>
  `(${row}.ctid = ${rowAt} and (${row}.id = ${id}) is true)`;

/**
 * Lets the planner join by a hash in one statement of a function whose settings forbid it, and which has the variable `v_setting`: one
 * that finds many runs where they are, by `r.ctid = any (…) and r.ctid = …`. A run that has moved since it began is not found.
 */
export const byHash = (statement: string): string => `
        v_setting := set_config('enable_hashjoin', 'on', true);${statement}
        v_setting := set_config('enable_hashjoin', 'off', true);`;

/** About how many bytes a run takes in a reply. */
export const sizeOf = (run: string): string =>
  `256 + octet_length(${run}.payload) + coalesce(octet_length(${run}.record), 0) + coalesce(octet_length(${run}.extras), 0)`;

/** The epoch of a run that is started. The column may contain the largest number, which cannot be incremented. */
export const nextEpoch = (epoch: string): string => `least(${epoch}, 9223372036854775806) + 1`;

/** Reads arrays side by side as rows, each column named beside its array: `unnest(p_ids, p_epochs) as s (id, epoch)`. */
export function unnestAs(alias: string, columns: Readonly<Record<string, string>>): string {
  return `unnest(${Object.values(columns).join(', ')}) as ${alias} (${Object.keys(columns).join(', ')})`;
}

/**
 * The same with a last column `n` that counts the rows from 1. In a select list the server reads the arrays in step; in
 * `from` it would first copy each of them into a table of its own, element by element.
 */
export function unnestNumbered(alias: string, columns: Readonly<Record<string, string>>): string {
  const arrays = Object.entries(columns).map(([name, array]) => `unnest(${array}) as ${name}`);
  const [first] = Object.values(columns);
  return `(select ${arrays.join(', ')}, generate_series(1::bigint, cardinality(${first})) as n) ${alias}`;
}

/** Inserts one row, each value beside its column. */
export function insertInto(table: string, values: Readonly<Record<string, string>>): string {
  return `insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})`;
}

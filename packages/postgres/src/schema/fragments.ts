/** Fragments of SQL texts: a value is written beside the name of its column. */

/** Finds the row of an id in a table whose primary key begins with a hash of the id. */
export const hasId = (row: string, id: string): string =>
  `(${row}.hash = hashtext(${id}) and ${row}.id = ${id})`;

/** Reads arrays side by side as rows, each column named beside its array: `unnest(p_ids, p_epochs) as s (id, epoch)`. */
export function unnestAs(alias: string, columns: Readonly<Record<string, string>>): string {
  return `unnest(${Object.values(columns).join(', ')}) as ${alias} (${Object.keys(columns).join(', ')})`;
}

/** The same with a last column `n` that counts the rows from 1. */
export function unnestNumbered(alias: string, columns: Readonly<Record<string, string>>): string {
  const names = [...Object.keys(columns), 'n'];
  return `unnest(${Object.values(columns).join(', ')}) with ordinality as ${alias} (${names.join(', ')})`;
}

/** Inserts one row, each value beside its column. */
export function insertInto(table: string, values: Readonly<Record<string, string>>): string {
  return `insert into ${table} (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})`;
}

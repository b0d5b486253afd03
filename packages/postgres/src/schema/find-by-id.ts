/** Finds the row of an id in a table whose primary key begins with a hash of the id. */
export const hasId = (row: string, id: string): string =>
  `(${row}.hash = hashtext(${id}) and ${row}.id = ${id})`;

/** The last epoch that can be incremented: larger integers are not exact in JavaScript. */
export const LAST_EPOCH: number = Number.MAX_SAFE_INTEGER - 1;

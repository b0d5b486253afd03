/** Finds a row of a table whose index begins with a hash of the id. */
export const hasId = (row: string, id: string): string =>
  `(${row}.hash = hashtext(${id}) and ${row}.id = ${id})`;

/** The last epoch that a client can count on from: numbers beyond are not exact there. */
export const LAST_EPOCH: number = Number.MAX_SAFE_INTEGER - 1;

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

/**
 * What a broker needs of a client: a `pg` pool or client, PGlite, or anything else that sends one statement with
 * its values. No driver's own types, so that none has to be installed.
 */
export interface SqlClient {
  readonly query: (text: string, values?: unknown[]) => Promise<SqlResult>;
}

/** What a statement gave. */
export interface SqlResult {
  readonly rows: readonly unknown[];
}

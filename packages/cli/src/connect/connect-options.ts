/** The options of every command that asks a server. */
export interface ConnectOptions {
  /** `redis://…`, `postgres://…`, or `pglite:` and a folder. */
  readonly url?: string;
  /** The prefix of the keys on Redis. */
  readonly prefix?: string;
  /** The number of hash slots of the queue on Redis. */
  readonly partitions?: number;
  /** The schema of the tables on Postgres and PGlite. */
  readonly schema?: string;
  /** Whether the report is JSON: nothing else is printed. */
  readonly json?: boolean;
}

import { PostgresBrokerError } from './errors.ts';
import type { SqlClient } from './sql-client.ts';

/** What a Postgres broker works with: one of `client` and `url`. */
export interface PostgresBrokerOptions {
  /** A `pg` pool or client, PGlite, or anything else with `query(text, values)`. It stays yours: close it yourself. */
  readonly client?: SqlClient;
  /** Where to connect; the broker opens a pool of `pg` of its own and closes it. */
  readonly url?: string;
  /** How many connections the broker opens for a `url`, besides the one that it listens on. @default 4 */
  readonly connections?: number;
  /** Where the tables are. @default 'retry' */
  readonly schema?: string;
  /**
   * About how many completed, cancelled, dropped and disposable runs are kept, all together and the latest of them,
   * ≥ 0; `Infinity` keeps all. Other runs that failed, stalled or were rate limited are kept until they are redriven
   * or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number;
  /** Whether to listen for news of other processes; without it, and behind a pooler, idle workers look every second. @default true */
  readonly listen?: boolean;
  /**
   * Whether what is submitted in a transaction of yours wakes idle workers when that commits; without it they find it
   * at their next look, a second later at most. While a worker is idle it makes such commits wait for one another, all
   * over the server: Postgres hands out news in the order of commits.
   *
   * @default false
   */
  readonly wakeOnCommit?: boolean;
}

/** Options with their defaults. */
export interface PostgresBrokerSettings {
  readonly client: SqlClient | undefined;
  readonly url: string | undefined;
  readonly connections: number;
  readonly schema: string;
  readonly keepCompleted: number;
  readonly listen: boolean;
  readonly wakeOnCommit: boolean;
}

/** @throws {PostgresBrokerError} `INVALID_OPTIONS` */
export function readOptions(options: PostgresBrokerOptions): PostgresBrokerSettings {
  const {
    client,
    url,
    connections = 4,
    keepCompleted = 1_000,
    listen = true,
    wakeOnCommit = false,
  } = options;
  if ((client === undefined) === (url === undefined)) {
    throw wrong('give either client or url', client === undefined ? 'neither' : 'both', 'Name one of them.');
  }
  if (!(keepCompleted >= 0)) throw wrong('keepCompleted must be ≥ 0', keepCompleted, 'Use 0 to keep none.');
  if (!(Number.isInteger(connections) && connections >= 1)) {
    throw wrong('connections must be an integer ≥ 1', connections, 'Leave it out for 4.');
  }
  const schema = readSchema(options.schema);
  return { client, url, connections, schema, keepCompleted, listen, wakeOnCommit };
}

/** @throws {PostgresBrokerError} `INVALID_OPTIONS` */
export function readSchema(schema = 'retry'): string {
  if (schema !== '' && Buffer.byteLength(schema) <= 50) return schema;
  throw wrong('schema must be a name of 1 to 50 bytes', schema, "Leave it out for 'retry'.");
}

function wrong(message: string, value: unknown, cure: string): PostgresBrokerError {
  return new PostgresBrokerError('INVALID_OPTIONS', `${message}, got ${JSON.stringify(value)}. ${cure}`);
}

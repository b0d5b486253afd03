import { PostgresBrokerError } from '../errors.ts';
import type { SqlClient } from './sql-client.ts';
import { changedReply, readRows } from './sql-client.ts';

/** Encodings that hold every text: `SQL_ASCII` keeps bytes as they are. */
const WIDE_ENCODINGS: readonly unknown[] = ['UTF8', 'SQL_ASCII'];

/**
 * Checks that a database can hold every payload, and that the client replies it unchanged.
 *
 * @throws {PostgresBrokerError} `NARROW_ENCODING`, `CHANGED_REPLY`
 */
export async function checkServer(client: SqlClient): Promise<void> {
  const encoding = await readSetting(client, 'server_encoding');
  if (WIDE_ENCODINGS.includes(encoding)) return;
  const message = `the database has the encoding ${encoding}, which cannot hold every payload. Create one with encoding 'UTF8' and template template0.`;
  throw new PostgresBrokerError('NARROW_ENCODING', message);
}

/**
 * Checks that the server takes writes: it is neither a standby, nor are its transactions read-only by default.
 *
 * @throws {PostgresBrokerError} `READ_ONLY_SERVER`
 */
export async function checkWritable(client: SqlClient): Promise<void> {
  if ((await readSetting(client, 'transaction_read_only')) === 'on') throw readOnlyServer();
}

/** What is said of a server that takes no writes. */
export function readOnlyServer(options?: ErrorOptions): PostgresBrokerError {
  const message =
    'this server takes no writes: it is a standby, or default_transaction_read_only is on. Connect to the primary.';
  return new PostgresBrokerError('READ_ONLY_SERVER', message, options);
}

async function readSetting(client: SqlClient, name: string): Promise<string> {
  const [{ answer }] = readRows(await client.query('select current_setting($1::text) as answer', [name]));
  if (typeof answer !== 'string') throw changedReply(answer);
  return answer;
}

/** What the driver says of a server that accepted a connection, or dropped what asked for one, and did not answer. */
const TOO_LATE: readonly unknown[] = ['timeout expired', 'Connection terminated due to connection timeout'];

/** Returns what is said where no connection came about; `undefined` for an error of a connection that was there, or of the server. */
export function unreachableServer(error: unknown): PostgresBrokerError | undefined {
  const reason = reasonOf(error);
  if (reason === undefined) return undefined;
  const message = `the Postgres server was not reached: ${reason}. Start it, or correct the url or the client.`;
  return new PostgresBrokerError('POSTGRES_UNREACHABLE', message, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  // Of a name with several addresses, each is tried.
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  if (TOO_LATE.includes(error.message)) return 'it did not answer in time';
  const call = 'syscall' in error ? error.syscall : undefined;
  return call === 'connect' || call === 'getaddrinfo' ? error.message : undefined;
}

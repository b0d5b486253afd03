import type { LentClient, PoolLike } from '../../wake/subscription.ts';
import { isLockTimeout, isWithoutWaiting } from '../call.ts';
import type { NamedStatement, NamingClient } from '../prepared.ts';
import type { SqlClient, SqlResult } from '../sql-client.ts';
import { readRows } from '../sql-client.ts';

/** A connection of a pool, which emits `error` when it breaks. */
interface Lent {
  readonly on: (event: 'error', listener: () => void) => unknown;
  readonly off: (event: 'error', listener: () => void) => unknown;
  readonly release?: (destroy?: boolean) => void;
}

/**
 * Lends a connection of a pool, and gives it back.
 *
 * @param use - calls `onBroken` where the connection cannot be used again: then it is closed
 */
export async function withLent<Connection extends Lent, Answer>(
  pool: { readonly connect: () => Promise<Connection> },
  use: (connection: Connection, onBroken: () => void) => Promise<Answer>,
): Promise<Answer> {
  const connection = await pool.connect();
  let isBroken = false;
  const onBroken = (): void => {
    isBroken = true;
  };
  // A connection that breaks emits `error`, which would end the process; its statement, or its next one, rejects as well.
  connection.on('error', onBroken);
  try {
    return await use(connection, onBroken);
  } finally {
    connection.off('error', onBroken);
    connection.release?.(isBroken);
  }
}

/**
 * Returns a pool of `pg` that keeps the connection of a call that got no lock in time. `query` of the pool closes the connection of each
 * statement that fails. Opening another one takes the server longer than many calls: while several processes wait for one another's
 * locks, they would do little else.
 */
export function keepConnections(pool: NamingClient & PoolLike): NamingClient {
  return {
    query: (statement: string | NamedStatement, values?: unknown[]): Promise<SqlResult> => {
      const isNamed = typeof statement !== 'string';
      if (isWithoutWaiting(isNamed ? statement.text : statement)) return queryLent(pool, statement, values);
      return isNamed ? pool.query(statement) : pool.query(statement, values);
    },
  };
}

/** Sends a statement over a connection of the pool, which is closed if the statement fails, unless it only got no lock in time. */
export function queryLent(
  pool: Pick<PoolLike, 'connect'>,
  statement: string | NamedStatement,
  values?: unknown[],
): Promise<SqlResult> {
  return withLent(pool, async (lent, onBroken) => {
    const client = lent as LentClient & NamingClient; // what a pool of pg lends takes what the pool takes
    try {
      return await (typeof statement === 'string'
        ? client.query(statement, values)
        : client.query(statement));
    } catch (error) {
      if (!isLockTimeout(error)) onBroken();
      throw error;
    }
  });
}

/** Reads the isolation level that transactions have unless they name another, and which process of the server answers. */
export const SESSION =
  "select current_setting('default_transaction_isolation') as level, pg_backend_pid() as pid";

/** What {@link SESSION} returns. */
export interface Session {
  readonly level: unknown;
  readonly pid: unknown;
}

/** Returns the session that a client reported. */
export function readSession(result: SqlResult): Session {
  const [{ level, pid }] = readRows(result);
  return { level, pid };
}

/** Whether claims can be made at the default isolation level of this session. */
export function isReadCommitted({ level }: Session): boolean {
  return level === 'read committed';
}

/**
 * Returns a client that sends each statement in a transaction of the isolation level `read committed`, which also works
 * behind a pooler.
 */
export function readCommitted(pool: PoolLike): SqlClient {
  return { query: (text, values) => sendReadCommitted(pool, text, values) };
}

function sendReadCommitted(pool: PoolLike, text: string, values?: unknown[]): Promise<SqlResult> {
  return withLent(pool, async (client, onBroken) => {
    try {
      await client.query('begin isolation level read committed');
      const result = await client.query(text, values);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback').catch(onBroken);
      throw error;
    }
  });
}

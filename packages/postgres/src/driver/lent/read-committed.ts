import type { PoolLike } from '../../wake/subscription.ts';
import { readRows } from '../read-rows.ts';
import type { SqlClient, SqlResult } from '../sql-client.ts';
import { withLent } from './with-lent.ts';

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

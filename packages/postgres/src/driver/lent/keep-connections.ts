import type { LentClient, PoolLike } from '../../wake/subscription.ts';
import { isLockTimeout, isWithoutWaiting } from '../call.ts';
import type { NamedStatement, NamingClient } from '../prepared.ts';
import type { SqlResult } from '../sql-client.ts';
import { withLent } from './with-lent.ts';

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

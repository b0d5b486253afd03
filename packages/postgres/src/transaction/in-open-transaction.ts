import type { SqlClient } from '../driver/sql-client.ts';
import { turnsOf } from '../driver/users-client/turns.ts';
import { PostgresBrokerError } from '../errors.ts';

/** Returns a client of `pg` that sends each statement in its turn, and refuses it when no transaction is open. */
export function inOpenTransaction(client: SqlClient): SqlClient {
  const takeTurn = turnsOf(client);
  return {
    query: (text, values) =>
      takeTurn(async () => {
        refuseIdle(client);
        return client.query(text, values);
      }),
  };
}

/**
 * Refuses a client of `pg` that knows that it has no transaction open: it would commit a statement by itself.
 *
 * @throws {PostgresBrokerError} `NO_TRANSACTION`
 */
export function refuseIdle(client: object): void {
  if (!isIdle(client)) return;
  const message =
    'the connection of this tx has no transaction open. Begin one, and give it as tx only until its commit or rollback.';
  throw new PostgresBrokerError('NO_TRANSACTION', message);
}

/**
 * Each answer of the server carries the state. It is unknown while a statement is under way, which may be `begin`, before
 * pg 8.21, and over libpq.
 */
function isIdle(client: {
  readonly readyForQuery?: unknown;
  readonly getTransactionStatus?: unknown;
}): boolean {
  const { readyForQuery, getTransactionStatus } = client;
  if (readyForQuery !== true || typeof getTransactionStatus !== 'function') return false;
  return getTransactionStatus.call(client) === 'I';
}

import type { SqlClient } from '../driver/sql-client.ts';
import { refuseIdle } from './in-open-transaction.ts';
import { noTransaction } from './no-transaction.ts';

export type { SqlClient, SqlResult } from '../driver/sql-client.ts';

/** The part of a Drizzle transaction that is used. `rollback` keeps out a database, which runs elsewhere. */
export interface DrizzleTransaction {
  /** Never called. */
  readonly rollback: () => never;
  /** Sends one statement in the transaction. */
  readonly execute: (query: never) => PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/**
 * Wraps a Drizzle transaction on `pg` as the `tx` of `submit` and `complete`.
 *
 * @param trx - what `db.transaction(async (trx) => …)` passes
 * @throws {InvalidOptionsError} for anything else, such as the database itself
 */
export function inDrizzle(trx: DrizzleTransaction): SqlClient {
  if (typeof Object(trx).rollback !== 'function')
    throw noTransaction(trx, 'inDrizzle', 'db.transaction(async (trx) => …)');
  return {
    query: async (text, values = []) => {
      const { sql } = await import('drizzle-orm');
      // Drizzle numbers parameters by itself: the text is split at $1, $2 …, every second part being a number.
      const parts = text.split(/\$(\d+)/);
      const chunks = parts.map((part, index) =>
        index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1]),
      );
      const query = sql.join(chunks) as never; // the interface names no type of Drizzle
      refuseIdle(connectionOf(trx));
      return trx.execute(query);
    },
  };
}

/** Drizzle does not notice that a transaction is over, but the connection that it had may. */
function connectionOf(trx: DrizzleTransaction): object {
  const { session } = trx as DrizzleTransaction & { readonly session?: { readonly client?: object } }; // not in its types
  return session?.client ?? {};
}

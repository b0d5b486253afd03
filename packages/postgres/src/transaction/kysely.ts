import type { SqlClient } from '../driver/sql-client.ts';
import { noTransaction } from './no-transaction.ts';

export type { SqlClient, SqlResult } from '../driver/sql-client.ts';

/** The part of a Kysely transaction that is used. `isTransaction` keeps out a `Kysely` instance, which runs elsewhere. */
export interface KyselyTransaction {
  /** Only checked. */
  readonly isTransaction: true;
  /** Sends one compiled statement in the transaction. */
  readonly executeQuery: (query: never) => PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/**
 * Wraps a Kysely transaction as the `tx` of `submit` and `complete`.
 *
 * @param trx - what `db.transaction().execute(async (trx) => …)` passes
 * @throws {InvalidOptionsError} for anything else, such as the database itself
 */
export function inKysely(trx: KyselyTransaction): SqlClient {
  if (Object(trx).isTransaction !== true)
    throw noTransaction(trx, 'inKysely', 'db.transaction().execute(async (trx) => …)');
  return {
    query: async (text, values = []) => {
      const { CompiledQuery } = await import('kysely');
      const query = CompiledQuery.raw(text, values) as never; // the interface names no type of Kysely
      return trx.executeQuery(query);
    },
  };
}

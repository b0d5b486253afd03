import type { SqlClient } from '../driver/sql-client.ts';

/** The part of a Kysely transaction that is used. `isTransaction` keeps out a `Kysely` instance, which runs elsewhere. */
export interface KyselyTransaction {
  /** Never read. */
  readonly isTransaction: true;
  /** Sends one compiled statement in the transaction. */
  readonly executeQuery: (query: never) => PromiseLike<{ readonly rows: readonly unknown[] }>;
}

/**
 * Wraps a Kysely transaction as the `tx` of `submit` and `complete`.
 *
 * @param trx - what `db.transaction().execute(async (trx) => …)` passes
 */
export function inKysely(trx: KyselyTransaction): SqlClient {
  return {
    query: async (text, values = []) => {
      const { CompiledQuery } = await import('kysely');
      const query = CompiledQuery.raw(text, values) as never; // the interface names no type of Kysely
      return trx.executeQuery(query);
    },
  };
}

import type { SqlClient } from '../driver/sql-client.ts';
import { noTransaction } from './no-transaction.ts';

export type { SqlClient, SqlResult } from '../driver/sql-client.ts';

/** The part of a Prisma transaction that is used. */
export interface PrismaTransaction {
  /** Sends one statement in the transaction, with its values for `$1`, `$2` and so on. */
  readonly $queryRawUnsafe: (text: string, ...values: unknown[]) => PromiseLike<unknown>;
}

/**
 * Wraps a Prisma transaction as the `tx` of `submit` and `complete`.
 *
 * @param trx - what `prisma.$transaction(async (trx) => …)` passes
 * @throws {InvalidOptionsError} for anything else, such as the database itself
 */
export function inPrisma(trx: PrismaTransaction): SqlClient {
  const { $queryRawUnsafe, $disconnect } = Object(trx);
  // Read, not looked for by `in`: a transaction of Prisma is a Proxy of the client.
  if (typeof $queryRawUnsafe !== 'function' || $disconnect !== undefined)
    throw noTransaction(trx, 'inPrisma', 'prisma.$transaction(async (trx) => …)');
  return {
    query: async (text, values = []) => {
      const rows = await trx.$queryRawUnsafe(text, ...values);
      return { rows: rows as readonly unknown[] }; // checked where they are read
    },
  };
}

import type { Transaction } from 'kysely';
import { CompiledQuery } from 'kysely';

/** A transaction of Kysely, to be given as `tx`. */
export const inKysely = <Tables>(trx: Transaction<Tables>) => ({
  query: (text: string, values: unknown[] = []) => trx.executeQuery(CompiledQuery.raw(text, values)),
});

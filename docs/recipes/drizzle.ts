import { type SQL, sql } from 'drizzle-orm';

/** A transaction of Drizzle on `pg`, to be given as `tx`. */
export const inDrizzle = (trx: { execute: (query: SQL) => PromiseLike<{ rows: unknown[] }> }) => ({
  query: async (text: string, values: unknown[] = []) => trx.execute(withValues(text, values)),
});

// Each value stands once in the text, in order.
const withValues = (text: string, values: unknown[]) => {
  const [first = '', ...rest] = text.split(/\$\d+/);
  return sql.join([sql.raw(first), ...rest.flatMap((part, i) => [sql.param(values[i]), sql.raw(part)])]);
};

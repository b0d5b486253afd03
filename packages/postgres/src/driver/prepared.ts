import { createHash } from 'node:crypto';
import type { SqlClient, SqlResult } from './sql-client.ts';

/** A client that takes a named statement, as those of `pg`: the server then reads and plans it once per connection. */
interface NamingClient {
  readonly query: (statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }) => Promise<SqlResult>;
}

/** What a server says that has not seen the statement on this connection, or has seen another one: a pooler is between. */
const STRANGERS: readonly unknown[] = ['26000', '42P05'];

/**
 * The same client, by named statements as long as they are understood. A pooler in transaction mode gives each
 * transaction another connection; at its first complaint, before anything was done, names are given up for good.
 */
export function prepareStatements(client: NamingClient & SqlClient): SqlClient {
  const names = new Map<string, string>();
  let isUnderstood = true;
  return {
    query: async (text, values = []) => {
      if (!isUnderstood) return client.query(text, values);
      const name = names.get(text) ?? nameOf(text);
      names.set(text, name);
      try {
        return await client.query({ name, text, values });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && STRANGERS.includes(error.code))) throw error;
        isUnderstood = false;
        return client.query(text, values);
      }
    },
  };
}

/** Whoever shares the connection gives other texts other names. */
function nameOf(text: string): string {
  return `retry_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

import { createHash } from 'node:crypto';
import type { SqlClient, SqlResult } from './sql-client.ts';

/** A client that takes a named statement, as those of `pg`: the server then parses and plans it once per connection. */
interface NamingClient {
  readonly query: (statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }) => Promise<SqlResult>;
}

/** The connection has not prepared the statement, or has prepared another of its name: a pooler is in between. */
const UNKNOWN_STATEMENT: readonly unknown[] = ['26000', '42P05'];

/**
 * Returns the same client, which sends named statements. A pooler in transaction mode may use another connection for each
 * transaction; after the first such error, which comes before anything was done, statements are no longer named.
 */
export function prepareStatements(client: NamingClient & SqlClient): SqlClient {
  const names = new Map<string, string>();
  let isNaming = true;
  return {
    query: async (text, values = []) => {
      if (!isNaming) return client.query(text, values);
      const name = names.get(text) ?? nameOf(text);
      names.set(text, name);
      try {
        return await client.query({ name, text, values });
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && UNKNOWN_STATEMENT.includes(error.code)))
          throw error;
        isNaming = false;
        return client.query(text, values);
      }
    },
  };
}

/** A hash of the text: other programs on the connection have other texts, and therefore other names. */
function nameOf(text: string): string {
  return `retry_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

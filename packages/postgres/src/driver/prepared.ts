import { createHash } from 'node:crypto';
import { sqlStateOf } from './refusal.ts';
import type { SqlClient, SqlResult } from './sql-client.ts';

/** A client that takes a named statement, as those of `pg`: the server then parses and plans it once per connection. */
export interface NamingClient extends SqlClient {
  readonly query: SqlClient['query'] & ((statement: NamedStatement) => Promise<SqlResult>);
}

interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
}

/** The connection has not prepared the statement, or has prepared another of its name: a pooler is in between. */
const UNKNOWN_STATEMENT: readonly unknown[] = ['26000', '42P05'];

/**
 * Returns the same client, which sends named statements. A pooler in transaction mode may use another connection for each
 * transaction; after the first such error, which comes before anything was done, statements are no longer named.
 */
export function prepareStatements(client: NamingClient): SqlClient {
  let isNaming = true;
  return {
    query: async (text, values = []) => {
      if (!isNaming) return client.query(text, values);
      try {
        return await client.query(named(text, values));
      } catch (error) {
        if (!UNKNOWN_STATEMENT.includes(sqlStateOf(error))) throw error;
        isNaming = false;
        return client.query(text, values);
      }
    },
  };
}

/** Names of statements, by their texts. */
const names = new Map<string, string>();

/** Returns a statement under a hash of its text: other programs on the connection have other texts, and other names. */
export function named(text: string, values: unknown[] = []): NamedStatement {
  const name = names.get(text) ?? nameOf(text);
  names.set(text, name);
  return { name, text, values };
}

function nameOf(text: string): string {
  return `retry_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

import { createHash } from 'node:crypto';
import { sqlStateOf } from './refusal.ts';
import type { SqlClient, SqlResult } from './sql-client.ts';

/** A client that takes a named statement, as those of `pg`: the server then parses and plans it once per connection. */
export interface NamingClient extends SqlClient {
  readonly query: SqlClient['query'] & ((statement: NamedStatement) => Promise<SqlResult>);
}

/** A statement and the name under which it is prepared. */
export interface NamedStatement {
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

/** Names and texts of prepared statements, by their texts. */
const prepared = new Map<string, Pick<NamedStatement, 'name' | 'text'>>();

/**
 * Returns a statement under a hash of its text: other programs on the connection have other texts, and other names. What takes named
 * statements sends every value as text, whatever its type, so that its parameters have the types that are asked for: the server would
 * begin each execution by preparing a conversion of each.
 */
export function named(text: string, values: unknown[] = []): NamedStatement {
  const statement = prepared.get(text) ?? prepare(text.replaceAll('::text::', '::'));
  prepared.set(text, statement);
  return { name: statement.name, text: statement.text, values };
}

function prepare(text: string): Pick<NamedStatement, 'name' | 'text'> {
  return { name: `retry_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`, text };
}

/** Returns a client that chooses at the first statement how all are sent; at the next one again, if that failed. */
export function sendAsChosen(choose: () => Promise<SqlClient>): SqlClient {
  let choosing: Promise<SqlClient> | undefined;
  let choice: SqlClient | undefined;
  return {
    query: async (text, values) => {
      if (choice === undefined) {
        choosing ??= choose().finally(() => {
          choosing = undefined;
        });
        choice = await choosing;
      }
      return choice.query(text, values);
    },
  };
}

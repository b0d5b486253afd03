import type { SqlClient } from './sql-client.ts';

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

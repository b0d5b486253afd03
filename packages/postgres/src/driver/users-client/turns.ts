import type { SqlClient } from '../sql-client.ts';

/** Makes calls in the order in which they came, at most some of them at the same time. */
type TakeTurn = <Answer>(send: () => Promise<Answer>) => Promise<Answer>;

/** Returns a function that makes calls in the order in which they came, at most `most` of them at the same time. */
export function createTurns(most: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const end = (): void => {
    const next = waiting.shift();
    // The next call takes over the turn, so that none that comes meanwhile is made before it.
    if (next === undefined) underWay -= 1;
    else next();
  };
  return async (send) => {
    if (underWay < most) underWay += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await send();
    } finally {
      end();
    }
  };
}

const turns = new WeakMap<SqlClient, TakeTurn>();

/** Returns the turns of a single connection. All that use it share them: `pg` 9 takes no query while another is under way. */
export function turnsOf(connection: SqlClient): TakeTurn {
  const known = turns.get(connection) ?? createTurns(1);
  turns.set(connection, known);
  return known;
}

/** Returns a client that sends each statement in its turn. */
export function inTurns(client: SqlClient, takeTurn: TakeTurn): SqlClient {
  return { query: (text, values) => takeTurn(() => client.query(text, values)) };
}

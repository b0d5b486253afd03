import type { SqlClient, SqlResult } from '../driver/sql-client.ts';
import { PostgresBrokerError } from '../errors.ts';

/** What a function gets as its `tx`, and what is known of it when the function has settled. */
export interface OpenTx {
  readonly tx: SqlClient;
  /** The errors of statements, the latest last. */
  readonly failures: readonly unknown[];
  /** Refuses every later statement. Resolves when those under way have been answered, with their number. */
  readonly end: () => Promise<number>;
}

const CURE = 'Await every call that gets the tx before the function of transaction() returns.';

/**
 * Opens a `tx` over a connection on which a transaction has begun. After `end` the connection is another's, or commits each
 * statement by itself, so nothing may reach it any more.
 */
export function openTx(connection: SqlClient): OpenTx {
  const failures: unknown[] = [];
  const underWay = new Set<Promise<SqlResult>>();
  let isOver = false;
  const send = async (text: string, values?: unknown[]): Promise<SqlResult> => {
    try {
      return await connection.query(text, values);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const query: SqlClient['query'] = async (text, values) => {
    if (isOver)
      throw new PostgresBrokerError('NO_TRANSACTION', `the transaction of this tx is over. ${CURE}`);
    const answer = send(text, values);
    underWay.add(answer);
    return answer.finally(() => underWay.delete(answer));
  };
  const end = async (): Promise<number> => {
    isOver = true;
    return (await Promise.allSettled([...underWay])).length;
  };
  return { tx: { query }, failures, end };
}

/** Returns the error of a function that returned before its statements were answered. @param left - how many were under way */
export function notAwaited(left: number): PostgresBrokerError {
  const message = `the function of transaction() returned while ${left} of its statements were under way: it is rolled back. ${CURE}`;
  return new PostgresBrokerError('NOT_AWAITED', message);
}

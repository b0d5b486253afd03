import { InvalidOptionsError } from '@retry/core';
import { countTransaction } from '../driver/lent/bounded-waits.ts';
import { withLent } from '../driver/lent/with-lent.ts';
import { sqlStateOf } from '../driver/refusal.ts';
import type { SqlClient, SqlResult } from '../driver/sql-client.ts';
import { inTurns, turnsOf } from '../driver/users-client/turns.ts';
import { PostgresBrokerError } from '../errors.ts';

/** A pool or client of `pg`, or PGlite. */
export type TransactionClient = SqlClient | PoolClientSource | SelfTransacting;

/** A pool that lends connections, as that of `pg` does. */
interface PoolClientSource extends SqlClient {
  readonly totalCount: number;
  readonly connect: () => Promise<PoolConnection>;
}

interface PoolConnection extends SqlClient {
  readonly release: (destroy?: boolean) => void;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
  readonly off: (event: 'error', listener: (error: Error) => void) => unknown;
}

/** A client with transactions of its own, as PGlite. */
interface SelfTransacting extends SqlClient {
  readonly transaction: <Result>(work: (tx: SqlClient) => Promise<Result>) => Promise<Result>;
}

/**
 * Runs `work` in a transaction: commits when it resolves, rolls back when it rejects. Code that uses it runs on `pg` and on
 * PGlite alike, so that a handler can be tested without a server.
 *
 * A pool lends one connection. On a single client transactions run one after another: do not open one inside another, and
 * let a broker use another client: its calls would become part of the transaction.
 * A statement that failed aborts the transaction even if `work` catches its error: then nothing is committed, and that error
 * is thrown. A savepoint avoids it.
 *
 * @param work - gets `tx`, which `submit` and `complete` take as well; when `work` has settled, `tx` rejects with `NO_TRANSACTION`
 * @returns what `work` returned, once it is committed
 * @throws {InvalidOptionsError} for what is no client
 * @throws {PostgresBrokerError} `NOT_AWAITED` when `work` returned before its statements were answered; it is rolled back
 * @throws what `work` threw, once it is rolled back
 */
export async function transaction<Result>(
  client: TransactionClient,
  work: (tx: SqlClient) => Promise<Result>,
): Promise<Result> {
  checkClient(client);
  const counted: typeof work = (tx) => countTransaction(client, () => work(tx));
  if (isSelfTransacting(client)) return client.transaction((tx) => runChecked(tx, counted));
  if (isPool(client)) {
    return withLent(client, (connection, onBroken) => runOnConnection(connection, counted, onBroken));
  }
  return inTurn(client, () => runOnConnection(client, work));
}

/** @param onBroken - called when not even the rollback went through: the state of the connection is unknown */
async function runOnConnection<Result>(
  connection: SqlClient,
  work: (tx: SqlClient) => Promise<Result>,
  onBroken: () => void = () => {},
): Promise<Result> {
  const client = inTurns(connection, turnsOf(connection));
  try {
    await client.query('begin');
    const result = await runChecked(client, work);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(onBroken);
    throw error;
  }
}

/**
 * Runs `work` with a `tx` that ends with it. Throws the error of a statement that `work` caught if it has aborted the transaction.
 * Statements that `work` did not await would be part of the transaction by chance: some of them, or none.
 */
async function runChecked<Result>(
  connection: SqlClient,
  work: (tx: SqlClient) => Promise<Result>,
): Promise<Result> {
  const { tx, failures, end } = openTx(connection);
  let left = 0;
  let result: Result;
  try {
    result = await work(tx);
  } finally {
    left = await end();
  }
  if (failures.length > 0) {
    await connection.query('select 1').catch(() => {
      throw causeOf(failures);
    });
  }
  if (left > 0) throw notAwaited(left);
  return result;
}

const IN_FAILED_TRANSACTION = '25P02';

/** Returns the latest error that is none of a statement which the server refused because of an earlier one. */
function causeOf(failures: readonly unknown[]): unknown {
  const causes = failures.filter((failure) => sqlStateOf(failure) !== IN_FAILED_TRANSACTION);
  return causes.at(-1) ?? failures.at(-1);
}

/** When the latest transaction on a client ends. */
const latest = new WeakMap<SqlClient, Promise<unknown>>();

function inTurn<Result>(client: SqlClient, run: () => Promise<Result>): Promise<Result> {
  const result = (latest.get(client) ?? Promise.resolve()).then(run);
  latest.set(
    client,
    result.catch(() => undefined),
  );
  return result;
}

/** The value is not shown: it may contain a password. */
function checkClient(client: unknown): void {
  if (typeof client === 'object' && client !== null && 'query' in client) return;
  const cure = 'Pass a pool or client of pg, or PGlite.';
  const problem = { path: 'client', value: undefined, message: 'must have query(text, values)', cure };
  throw new InvalidOptionsError([problem], 'transaction');
}

function isSelfTransacting(client: TransactionClient): client is SelfTransacting {
  return 'transaction' in client && typeof client.transaction === 'function';
}

function isPool(client: TransactionClient): client is PoolClientSource {
  return 'totalCount' in client && 'connect' in client;
}

/** What a function gets as its `tx`, and what is known of it when the function has settled. */
interface OpenTx {
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
function openTx(connection: SqlClient): OpenTx {
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
function notAwaited(left: number): PostgresBrokerError {
  const message = `the function of transaction() returned while ${left} of its statements were under way: it is rolled back. ${CURE}`;
  return new PostgresBrokerError('NOT_AWAITED', message);
}

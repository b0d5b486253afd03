import { RetryError } from '@retry/core';
import { read } from '@retry/core/fields';
import type { Begin } from './retry-transaction.ts';

/**
 * Thrown where PostgreSQL answered a COMMIT by a rollback: a statement of the transaction had failed, and the function caught its error.
 * Nothing is stored, which the answer alone says.
 */
export class RolledBackError extends RetryError<'ROLLED_BACK'> {
  override readonly name: string = 'RolledBackError';

  constructor() {
    super(
      'ROLLED_BACK',
      'the transaction was rolled back at its COMMIT: one of its statements had failed, and the error was caught. Let the error pass, or set a savepoint before the statement.',
    );
  }
}

/** What `pg` and `@neondatabase/serverless` call a pool. */
export interface PostgresPool<Client extends PostgresClient> {
  connect(): Promise<Client>;
}

interface PostgresClient {
  query(text: string): PromiseLike<unknown>;
  release(error?: Error | boolean): void;
  on?(event: 'error', listener: () => void): unknown;
  removeListener?(event: 'error', listener: () => void): unknown;
}

/** A lost connection is an event, too, which would end the process; its query or the next one rejects. */
const ignore = (): void => undefined;

/** What `mysql2/promise` and `mariadb` call a pool. */
export interface MysqlPool<Connection extends MysqlConnection> {
  getConnection(): Promise<Connection>;
}

interface MysqlConnection {
  beginTransaction(): Promise<unknown>;
  commit(): Promise<unknown>;
  rollback(): Promise<unknown>;
  release(): unknown;
  destroy(): unknown;
}

/** What `node:sqlite`, `better-sqlite3` and `libsql` call a database. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
}

/**
 * Returns the transactions of a pool of `pg`. A client that was broken is not given back to the pool. They reject with a
 * {@link RolledBackError} where the COMMIT was a rollback, as after an error that the function caught.
 */
export function postgresTransactions<Client extends PostgresClient>(
  pool: PostgresPool<Client>,
  begin: string = 'BEGIN',
): Begin<Client> {
  return async (run) => {
    const client = await pool.connect();
    client.on?.('error', ignore);
    const giveBack = (isBroken?: true): void => {
      if (isBroken === undefined) client.removeListener?.('error', ignore);
      client.release(isBroken);
    };
    return around(
      {
        begin: () => client.query(begin),
        commit: async () => throwIfRolledBack(await client.query('COMMIT')),
        rollback: () => client.query('ROLLBACK'),
        release: () => giveBack(),
        destroy: () => giveBack(true),
      },
      () => run(client),
    );
  };
}

/** A COMMIT of a transaction that has failed is answered without an error, by the name of what the server did. */
function throwIfRolledBack(answer: unknown): void {
  if (read(answer, 'command') === 'ROLLBACK') throw new RolledBackError();
}

/** Returns the transactions of a pool of `mysql2/promise` or `mariadb`. A connection that was broken is not given back to the pool. */
export function mysqlTransactions<Connection extends MysqlConnection>(
  pool: MysqlPool<Connection>,
): Begin<Connection> {
  return async (run) => {
    const connection = await pool.getConnection();
    return around(
      {
        begin: () => connection.beginTransaction(),
        commit: () => connection.commit(),
        rollback: () => connection.rollback(),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      },
      () => run(connection),
    );
  };
}

/**
 * Returns the transactions of a database of SQLite, which has one at a time: do not begin another on the same connection before it has
 * ended. It begins `IMMEDIATE`, so that it waits for the lock before it reads, and cannot fail with SQLITE_BUSY_SNAPSHOT.
 */
export function sqliteTransactions<Database extends SqliteDatabase>(
  database: Database,
  begin: string = 'BEGIN IMMEDIATE',
): Begin<Database> {
  return (run) =>
    around(
      {
        begin: () => database.exec(begin),
        commit: () => database.exec('COMMIT'),
        rollback: () => database.exec('ROLLBACK'),
        release: ignore,
        destroy: ignore,
      },
      () => run(database),
    );
}

/** One transaction on one connection. */
interface Steps {
  readonly begin: () => unknown;
  readonly commit: () => unknown;
  readonly rollback: () => unknown;
  /** Gives the connection back. */
  readonly release: () => unknown;
  /** Closes the connection: it is broken, or in a transaction that could not be ended. */
  readonly destroy: () => unknown;
}

/** Rejects with the error of the transaction, whatever its ROLLBACK says. */
async function around(
  { begin, commit, rollback, release, destroy }: Steps,
  run: () => Promise<unknown>,
): Promise<unknown> {
  let isOpen = false;
  let result: unknown;
  try {
    await begin();
    isOpen = true;
    result = await run();
    await commit();
  } catch (error) {
    const isRolledBack = isOpen && (await succeeds(rollback));
    void leave(isRolledBack ? release : destroy, destroy);
    throw error;
  }
  void leave(release, destroy);
  return result;
}

async function succeeds(step: () => unknown): Promise<boolean> {
  try {
    await step();
    return true;
  } catch {
    return false;
  }
}

/** Leaves the connection, by `destroy` where it cannot be given back. The transaction has ended: no error changes that. */
async function leave(step: () => unknown, destroy: () => unknown): Promise<void> {
  if (!(await succeeds(step)) && step !== destroy) await succeeds(destroy);
}

/**
 * `npm run test:real -- transactions`: `retryTransaction` by real drivers on real databases. Two transactions that may not both be
 * serializable, or that lock in opposite orders, are both applied once; a statement that is wrong is not repeated.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mysqlTransactions, retryTransaction, sqliteTransactions } from '@retry/inprocess/transactions';
import { openPostgres } from '../support/servers/postgres.ts';
import { untilAnswered } from '../support/servers/run-server.ts';
import { load, report, versioned } from './installed.ts';
import { withMariadb } from './private-mariadb.ts';

const AT_ONCE = { maxAttempts: 5, backoff: { type: 'none' } } as const;

/** What a driver is asked for: the balance is read, then written, in one transaction. */
interface Bank {
  readonly begin: Parameters<typeof retryTransaction>[0];
  readonly read: (tx: never) => Promise<number>;
  readonly write: (tx: never, balance: number) => Promise<unknown>;
  readonly fail: (tx: never) => Promise<unknown>;
}

/** Adds 1 by two transactions that read the same balance: one of them has to be repeated. */
async function check({ begin, read, write, fail }: Bank): Promise<readonly string[]> {
  let attempts = 0;
  let readers = 0;
  let bothHaveRead = (): void => {};
  const both = new Promise<void>((resolve) => {
    bothHaveRead = resolve;
  });
  const add = (): Promise<unknown> =>
    retryTransaction(
      begin,
      async (tx) => {
        attempts += 1;
        const balance = await read(tx as never);
        readers += 1;
        if (readers >= 2) bothHaveRead();
        await Promise.race([both, new Promise((resolve) => setTimeout(resolve, 300))]);
        await write(tx as never, balance + 1);
      },
      AT_ONCE,
    );
  const ended = await Promise.allSettled([add(), add()]);
  const found = ended.flatMap((one) => (one.status === 'rejected' ? [`it threw ${String(one.reason)}`] : []));
  const balance = await retryTransaction(begin, (tx) => read(tx as never), AT_ONCE);
  if (balance !== 2) found.push(`the balance is ${String(balance)} instead of 2`);
  if (attempts < 3) found.push(`${attempts} attempts: nothing was repeated`);
  let failed = 0;
  const wrong = await retryTransaction(
    begin,
    async (tx) => {
      failed += 1;
      await fail(tx as never);
    },
    AT_ONCE,
  ).then(
    () => 'resolved',
    () => 'rejected',
  );
  if (wrong !== 'rejected' || failed !== 1) found.push(`a wrong statement ${wrong} after ${failed} attempts`);
  return found;
}

async function checkPostgresJs(): Promise<void> {
  const server = await openPostgres();
  const { default: postgres } = await load('postgres');
  const sql = postgres(server.url, { onnotice: () => {} });
  try {
    await sql`drop table if exists bank`;
    await sql`create table bank (balance int)`;
    await sql`insert into bank values (0)`;
    const found = await check({
      begin: (run) => sql.begin('isolation level serializable', run),
      read: async (tx: typeof sql) => (await tx`select balance from bank`)[0].balance,
      write: (tx: typeof sql, balance) => tx`update bank set balance = ${balance}`,
      fail: (tx: typeof sql) => tx`select * from nothing`,
    } as Bank);
    report(`retryTransaction by ${versioned('postgres')} on a real Postgres`, found);
  } finally {
    await sql.end();
    await server.stop();
  }
}

async function checkMariadb(): Promise<void> {
  await withMariadb(async (port) => {
    for (const name of ['mysql2', 'mariadb']) {
      const module = await load(name === 'mysql2' ? 'mysql2/promise' : name);
      const { createPool } = module.createPool === undefined ? module.default : module;
      const pool = createPool({ host: '127.0.0.1', port, user: 'root', connectionLimit: 4 });
      await untilAnswered(() => pool.query('select 1'));
      await pool.query('create database if not exists retry_real');
      await pool.query('create or replace table retry_real.bank (balance int) engine = innodb');
      await pool.query('insert into retry_real.bank values (0)');
      const rowsOf = (result: readonly unknown[]): { balance: number }[] =>
        (name === 'mysql2' ? result[0] : result) as { balance: number }[]; // a pair there, a list here
      const found = await check({
        begin: mysqlTransactions(pool) as Bank['begin'],
        // Both take a shared lock, and neither gets the exclusive one: a deadlock.
        read: async (tx: typeof pool) =>
          rowsOf(await tx.query('select balance from retry_real.bank lock in share mode'))[0]?.balance ?? -1,
        write: (tx: typeof pool, balance) => tx.query('update retry_real.bank set balance = ?', [balance]),
        fail: (tx: typeof pool) => tx.query('select * from retry_real.nothing'),
      } as Bank);
      report(`retryTransaction by ${versioned(name)} on a real MariaDB`, found);
      await pool.end();
    }
  });
}

/** Two connections to one file: the second begins while the first has the lock, and is refused until that has committed. */
async function checkSqlite(): Promise<void> {
  const { default: Database } = await load('libsql');
  const folder = mkdtempSync(join(tmpdir(), 'retry-sqlite-'));
  const open = (): typeof Database => new Database(join(folder, 'bank.db'), { timeout: 0 });
  const [one, other] = [open(), open()];
  one.exec('pragma journal_mode = wal; create table bank (balance int); insert into bank values (0)');
  const found: string[] = [];
  try {
    one.exec('begin immediate');
    let waits = 0;
    await retryTransaction(
      sqliteTransactions(other),
      (tx: typeof Database) => tx.exec('update bank set balance = balance + 1'),
      { maxAttempts: 5, backoff: { type: 'constant', base: 50 }, jitter: 'none' },
      {
        onRetry: () => {
          waits += 1;
          if (waits === 2) one.exec('update bank set balance = balance + 1; commit');
        },
      },
    );
    if (waits !== 2) found.push(`${waits} retries instead of 2`);
    // A transaction that began by reading, and whose snapshot is old, passes by beginning again alone.
    let attempts = 0;
    await retryTransaction(
      sqliteTransactions(other, 'BEGIN'),
      (tx: typeof Database) => {
        attempts += 1;
        const { balance } = tx.prepare('select balance from bank').get();
        if (attempts === 1) one.exec('update bank set balance = balance + 1');
        tx.exec(`update bank set balance = ${balance + 1}`);
      },
      AT_ONCE,
    );
    const { balance } = one.prepare('select balance from bank').get();
    if (attempts !== 2) found.push(`${attempts} attempts of a transaction with an old snapshot instead of 2`);
    if (balance !== 4) found.push(`the balance is ${balance} instead of 4`);
    report(`retryTransaction by ${versioned('libsql')} on a file of SQLite`, found);
  } finally {
    one.close();
    other.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await checkPostgresJs();
await checkMariadb();
await checkSqlite();

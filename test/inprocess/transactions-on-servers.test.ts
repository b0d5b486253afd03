import { PrismaPg } from '@prisma/adapter-pg';
import { postgresTransactions, retryTransaction } from '@retry/inprocess/transactions';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PrismaClient, type RawPrisma } from '../postgres/recipes/prisma-client.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { openProxy } from '../support/tcp-proxy.ts';

/** A generated client takes options, too. */
interface TypedPrisma {
  readonly $transaction: (
    work: (trx: RawPrisma) => Promise<unknown>,
    options: { readonly isolationLevel: 'Serializable' },
  ) => Promise<unknown>;
}

describeOnPostgres('retryTransaction, on Postgres', (server) => {
  let admin: pg.Pool;
  let proxy: TcpProxy;
  let pool: pg.Pool;
  beforeEach(async () => {
    const { port, pathname, username } = new URL(server().url);
    admin = new pg.Pool({ connectionString: server().url });
    await admin.query(
      'drop table if exists moves; create table moves (id text primary key, n int); insert into moves values ($$a$$, 0)',
    );
    proxy = await openProxy(Number(port));
    pool = new pg.Pool({
      host: '127.0.0.1',
      port: proxy.port,
      database: pathname.slice(1),
      user: username,
      max: 2,
    });
    pool.on('error', () => {});
  });
  afterEach(async () => {
    await pool.end();
    await proxy.close();
    await admin.end();
  });

  const count = async (): Promise<unknown> => (await admin.query('select n from moves')).rows[0]?.n;

  it('repeats what was not serializable, through pg, Kysely and Drizzle', async () => {
    const kysely = new Kysely<{ moves: { id: string; n: number } }>({
      dialect: new PostgresDialect({ pool }),
    });
    const drizzled = drizzle(pool);
    let isFirst = true;
    const disturb = async (): Promise<void> => {
      if (isFirst) await admin.query('update moves set n = n + 1');
      isFirst = false;
    };

    await retryTransaction(postgresTransactions(pool, 'BEGIN ISOLATION LEVEL SERIALIZABLE'), async (tx) => {
      await tx.query('select * from moves');
      await disturb();
      await tx.query('update moves set n = n + 10');
    });
    isFirst = true;
    await retryTransaction(
      (run) => kysely.transaction().setIsolationLevel('serializable').execute(run),
      async (tx: typeof kysely) => {
        await tx.selectFrom('moves').selectAll().execute();
        await disturb();
        await sql`update moves set n = n + 10`.execute(tx);
      },
    );
    isFirst = true;
    await retryTransaction(
      (run) => drizzled.transaction(run, { isolationLevel: 'serializable' }),
      async (tx: Pick<typeof drizzled, 'execute'>) => {
        await tx.execute('select * from moves');
        await disturb();
        await tx.execute('update moves set n = n + 10');
      },
    );

    expect(await count()).toBe(33);
  });

  it('repeats what was not serializable, through Prisma', async () => {
    const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: server().url }) });
    const begin = (run: (tx: RawPrisma) => Promise<unknown>): Promise<unknown> =>
      (prisma as unknown as TypedPrisma).$transaction(run, { isolationLevel: 'Serializable' });
    let attempts = 0;

    await retryTransaction(begin, async (tx: RawPrisma) => {
      attempts += 1;
      await tx.$queryRawUnsafe('select * from moves');
      if (attempts === 1) await admin.query('update moves set n = n + 1');
      await tx.$executeRawUnsafe('update moves set n = n + 10');
    });
    await prisma.$disconnect();

    expect([attempts, await count()]).toEqual([2, 11]);
  });

  it('never applies a transaction twice whose COMMIT lost its answer, and replaces the client', async () => {
    const begin = postgresTransactions(pool);
    const move = (): Promise<void> =>
      retryTransaction(begin, async (tx) => {
        await tx.query('update moves set n = n + 1');
      });
    proxy.loseReplyTo('COMMIT');

    await expect(move()).rejects.toThrow('Connection terminated');
    await move();

    expect(await count()).toBe(2);
    expect(proxy.lost()).toBe(1);
  });

  it('rejects where an error that the function caught has made the COMMIT a rollback', async () => {
    const move = retryTransaction(postgresTransactions(pool), async (tx) => {
      await tx.query('update moves set n = n + 1');
      await tx.query("insert into moves values ('a', 5)").then(undefined, () => {});
    });

    await expect(move).rejects.toMatchObject({ code: 'ROLLED_BACK' });
    expect(await count()).toBe(0);
  });

  it('asks the probe what became of the COMMIT', async () => {
    proxy.loseReplyTo('COMMIT');
    const committed = async (): Promise<boolean> => (await count()) === 1;

    await retryTransaction(
      postgresTransactions(pool),
      async (tx) => {
        await tx.query('update moves set n = n + 1');
      },
      {},
      { committed },
    );

    expect(await count()).toBe(1);
  });

  it('repeats a transaction whose connection broke in a statement', async () => {
    proxy.loseReplyTo('update moves');

    await retryTransaction(postgresTransactions(pool), async (tx) => {
      await tx.query('update moves set n = n + 1');
    });

    expect(await count()).toBe(1);
  });
});

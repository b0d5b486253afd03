import { PrismaPg } from '@prisma/adapter-pg';
import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import { inDrizzle } from '@retry/postgres/drizzle';
import { inKysely } from '@retry/postgres/kysely';
import { inPrisma } from '@retry/postgres/prisma';
import type { Queue } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listPages } from '../support/pages.ts';
import { readText } from '../support/repository.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';
import { LIBRARIES } from './recipes/libraries.ts';
import type { Library } from './recipes/library.ts';
import { PrismaClient } from './recipes/prisma-client.ts';

it.each(['Kysely', 'Drizzle', 'Prisma'])('the documentation shows where the wrapper for %s is', (name) => {
  const pages = listPages().map(readText).join('\n');

  expect(pages).toContain(`in${name}(trx)`);
  expect(pages).toContain(`@retry/postgres/${name.toLowerCase()}`);
});

it('a database instead of its transaction does not compile: its statements would run outside', () => {
  const wrong = (kysely: Kysely<object>, drizzle: NodePgDatabase) => [
    // @ts-expect-error it is no transaction
    inKysely(kysely),
    // @ts-expect-error it is no transaction
    inDrizzle(drizzle),
  ];

  expect(wrong).toBeTypeOf('function');
});

it.each([
  ['Kysely', () => inKysely(new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) }) as never)],
  ['Drizzle', () => inDrizzle(drizzle(new pg.Pool()) as never)],
  ['Prisma', () => inPrisma(new PrismaClient({ adapter: new PrismaPg({}) }))],
])(
  'a database of %s instead of its transaction is refused: its statements would run outside',
  (name, wrap) => {
    expect(wrap).toThrow(
      `the transaction must be one of the library, and no database, whose statements run outside of it, got "object". Use in${name}(trx) with the trx of `,
    );
  },
);

it.each([undefined, null, 'trx', {}])('what is no transaction is refused: %j', (value) => {
  for (const wrap of [inKysely, inDrizzle, inPrisma])
    expect(() => wrap(value as never)).toThrow('the transaction must be one of the library');
});

describeOnPostgres('a transaction', (server) => {
  describe.each(Object.keys(LIBRARIES))('of %s', (name) => {
    let pool: pg.Pool;
    let schema: TestSchema;
    let broker: PostgresBroker;
    let queue: Queue;
    let library: Library;
    beforeEach(async () => {
      pool = openPool(server().url);
      schema = await createTestSchema(pool);
      await pool.query(`create table ${schema.name}.orders (id text primary key)`);
      broker = createPostgresBroker({ client: pool, schema: schema.name });
      queue = createQueue({ broker });
      library = await (LIBRARIES[name] ?? unknownLibrary())(server().url, schema.name);
    });
    afterEach(async () => {
      const { unbalanced } = await broker.audit();
      await library.close();
      await broker.close();
      await schema.drop();
      await pool.end();
      expect(unbalanced).toBe(0);
    });

    const orders = async (): Promise<readonly string[]> =>
      (await pool.query(`select id from ${schema.name}.orders order by id`)).rows.map(({ id }) => id);
    const sendReceipt = defineTask({ name: 'send-receipt', run: (_: { text: string }) => 'sent' });
    const payload = { text: "it's $1, \\ and “quoted”" };

    it('keeps what was submitted in it when it commits', async () => {
      const ids: string[] = [];

      await library.transact(async ({ tx, insertOrder }) => {
        await insertOrder('order-1');
        ids.push((await queue.submit(sendReceipt, payload, { tx })).id);
        ids.push(
          ...(await queue.submitMany(sendReceipt, [payload, payload], { tx, delay: '1h' })).map(
            ({ id }) => id,
          ),
        );
        expect(await queue.get(ids[0] ?? '')).toBeUndefined();
      });

      const kept = await broker.get(ids);
      expect(kept.map((run) => run?.state)).toEqual(['submitted', 'scheduled', 'scheduled']);
      expect(kept.map((run) => JSON.parse(run?.payload ?? 'null'))).toEqual([payload, payload, payload]);
      expect(await orders()).toEqual(['order-1']);
    });

    it('keeps nothing that was submitted in it when it is rolled back', async () => {
      const rolledBack = library.transact(async ({ tx, insertOrder }) => {
        await insertOrder('order-1');
        await queue.submit(sendReceipt, payload, { tx });
        throw new Error('no');
      });

      await expect(rolledBack).rejects.toThrow('no');
      expect((await queue.counts()).created).toBe(0);
      expect(await orders()).toEqual([]);
    });

    it.each(['committed', 'rolled back'])('refuses a submission after it was %s', async (how) => {
      const ended: unknown[] = [];
      const transacted = library.transact(async ({ tx }) => {
        ended.push(tx);
        await queue.submit(sendReceipt, payload, { tx });
        if (how === 'rolled back') throw new Error('no');
      });
      await transacted.catch(() => {});

      const late = queue.submit(sendReceipt, payload, { tx: ended[0] });

      await expect(late).rejects.toThrow(Error);
      expect((await queue.counts()).created).toBe(how === 'committed' ? 1 : 0);
    });

    it('completes a run with what its handler wrote: both or neither', async () => {
      const charge = defineTask({
        name: 'charge',
        retry: { maxAttempts: 2, backoff: { type: 'none' } },
        run: async (_: null, { attempt, complete }) => {
          await library.transact(async ({ tx, insertOrder }) => {
            await insertOrder(`attempt-${attempt}`);
            await complete({ tx, result: { attempt } });
            if (attempt === 1) throw new Error('no');
          });
        },
      });
      const worker = createWorker({ broker, tasks: [charge], signals: [] });
      const { id } = await queue.submit(charge, null);

      worker.start();
      await worker.whenIdle();
      await worker.stop();

      expect(await queue.result(id)).toMatchObject({ state: 'completed', result: { attempt: 2 } });
      expect(await queue.get(id)).toMatchObject({ epoch: 2, failures: 1 });
      expect(await orders()).toEqual(['attempt-2']);
    });
  });
});

function unknownLibrary(): never {
  throw new Error('unknown library');
}

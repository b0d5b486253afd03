import { PrismaPg } from '@prisma/adapter-pg';
import { transaction } from '@retry/postgres';
import { inDrizzle } from '@retry/postgres/drizzle';
import { inKysely } from '@retry/postgres/kysely';
import { inPrisma } from '@retry/postgres/prisma';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgSchema, text } from 'drizzle-orm/pg-core';
import { Kysely, PostgresDialect } from 'kysely';
import { openPool } from '../open-broker.ts';
import type { OpenLibrary } from './library.ts';
import { PrismaClient } from './prisma-client.ts';

const openPg: OpenLibrary = async (url, schema) => {
  const pool = openPool(url, 4);
  return {
    transact: (work) =>
      transaction(pool, (tx) =>
        work({ tx, insertOrder: (id) => tx.query(`insert into ${schema}.orders values ($1)`, [id]) }),
      ),
    close: () => pool.end(),
  };
};

const openKysely: OpenLibrary = async (url, schema) => {
  const db = new Kysely<{ orders: { id: string } }>({
    dialect: new PostgresDialect({ pool: openPool(url, 4) }),
  }).withSchema(schema);
  return {
    transact: (work) =>
      db.transaction().execute((trx) =>
        work({
          tx: inKysely(trx),
          insertOrder: (id) => trx.withSchema(schema).insertInto('orders').values({ id }).execute(),
        }),
      ),
    close: () => db.destroy(),
  };
};

const openDrizzle: OpenLibrary = async (url, schema) => {
  const pool = openPool(url, 4);
  const db = drizzle(pool);
  const orders = pgSchema(schema).table('orders', { id: text().primaryKey() });
  return {
    transact: (work) =>
      db.transaction((trx) =>
        work({ tx: inDrizzle(trx), insertOrder: async (id) => trx.insert(orders).values({ id }) }),
      ),
    close: () => pool.end(),
  };
};

const openPrisma: OpenLibrary = async (url, schema) => {
  const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
  return {
    transact: (work) =>
      prisma.$transaction((trx) =>
        work({
          tx: inPrisma(trx),
          insertOrder: (id) => trx.$executeRawUnsafe(`insert into ${schema}.orders values ($1)`, id),
        }),
      ),
    close: () => prisma.$disconnect(),
  };
};

/** Every library whose transactions the package takes. */
export const LIBRARIES: Readonly<Record<string, OpenLibrary>> = {
  pg: openPg,
  Kysely: openKysely,
  Drizzle: openDrizzle,
  Prisma: openPrisma,
};

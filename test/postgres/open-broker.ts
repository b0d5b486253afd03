import { randomUUID } from 'node:crypto';
import type { Broker } from '@retry/core/broker';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import type { WorkerHarness } from '../contract/worker/worker-scene.ts';
import type { BrokerHarness, KeepOptions } from '../support/broker-scene.ts';
import { passTime } from '../support/pass-time.ts';

/** A schema of one test: its tables are emptied when a broker is closed, and `drop` removes it. */
export interface TestSchema {
  readonly name: string;
  /** Opens a broker without runs; with a `url`, by connections of its own. */
  readonly open: (options?: KeepOptions & { readonly url?: string }) => Promise<BrokerHarness>;
  readonly drop: () => Promise<void>;
}

/** Every table of a schema but its version. */
export const TABLES: readonly string[] = [
  ...[
    'run',
    'ready',
    'parked',
    'behind',
    'turn',
    'scheduled',
    'finished',
    'long_finished',
    'awaited',
    'kept_key',
    'unique_key',
  ],
  ...['claim', 'tally', 'error_group', 'waiter', 'hold', 'start_limit', 'note'],
];

/** Creates a schema for tests. */
export async function createTestSchema(client: SqlClient): Promise<TestSchema> {
  const name = `test_${randomUUID().slice(0, 8)}`;
  await migrate(client, { schema: name });
  return testSchema(client, name);
}

/** Schemas of this process that no test has, by their server. */
const free = new Map<string, readonly string[]>();

/**
 * Returns a schema for a test that changes its rows alone: `drop` empties it, and another test gets it. To create and to drop one takes
 * the server longer than most tests.
 */
export async function lendTestSchema(client: SqlClient): Promise<TestSchema> {
  // What is left there would stay when the tests are over.
  if (process.env['DATABASE_URL']) return createTestSchema(client);
  const { rows } = await client.query('select pg_postmaster_start_time()::text as server');
  const { server } = rows[0] as { server: string };
  const [name, ...others] = free.get(server) ?? [];
  free.set(server, others);
  const schema = name === undefined ? await createTestSchema(client) : testSchema(client, name);
  return {
    ...schema,
    drop: async () => {
      await emptyTables(client, schema.name);
      free.set(server, [...(free.get(server) ?? []), schema.name]);
    },
  };
}

function testSchema(client: SqlClient, name: string): TestSchema {
  return {
    name,
    open: async ({ url, ...options } = {}) => {
      const where = url === undefined ? { client } : { url };
      const broker = createPostgresBroker({
        ...where,
        schema: name,
        keepCompleted: { count: Infinity },
        ...options,
      });
      const close = async (): Promise<void> => {
        await broker.close();
        await emptyTables(client, name);
      };
      return { broker, advance: passTime, close };
    },
    drop: () => dropSchema(client, name),
  };
}

async function dropSchema(client: SqlClient, name: string): Promise<void> {
  await againAfterDeadlock(() => client.query(`drop schema ${name} cascade`));
}

/** The server may still be at the last statement of a process that was killed: a deadlock with that ends it, or this. */
async function againAfterDeadlock(call: () => Promise<unknown>): Promise<void> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === DEADLOCK)) throw error;
    await againAfterDeadlock(call);
  }
}

const DEADLOCK = '40P01';

/** Files of tables whose rows are deleted rather than truncated, in bytes: a truncate takes longer than most tests. */
const SMALL_BYTES = 2 ** 22;

/** Removes every row of a schema. */
export async function emptyTables(client: SqlClient, schema: string): Promise<void> {
  const tables = TABLES.map((table) => `${schema}.${table}`);
  const sizes = tables.map((table) => `pg_table_size('${table}')`);
  const { rows } = await client.query(`select (${sizes.join(' + ')})::float8 as bytes`);
  if (Number((rows[0] as { bytes: number } | undefined)?.bytes) > SMALL_BYTES)
    await client.query(`truncate ${tables.join(', ')}`);
  else await deleteAll(client, tables);
}

/** In one statement, which PGlite takes as well: emptying the tables of a small test would take longer than the test. */
async function deleteAll(client: SqlClient, tables: readonly string[]): Promise<void> {
  const deletes = tables.map((table, index) => `t${index} as (delete from ${table})`);
  await againAfterDeadlock(() => client.query(`with ${deletes.join(', ')} select 1`));
}

/** Opens a pool of a few connections. */
export function openPool(url: string, max = 8): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max });
  pool.on('error', () => {});
  return pool;
}

/** Opens a queue for several processes, each with a broker and connections of its own. */
export async function openPostgresQueue(url: string): Promise<WorkerHarness> {
  const pool = openPool(url, 1);
  const schema = await lendTestSchema(pool);
  const brokers: Broker[] = [];
  return {
    connect: async () => {
      const broker = createPostgresBroker({ url, schema: schema.name, keepCompleted: { count: Infinity } });
      brokers.push(broker);
      return broker;
    },
    close: async () => {
      await Promise.all(brokers.map((broker) => broker.close()));
      await schema.drop();
      await pool.end();
    },
  };
}

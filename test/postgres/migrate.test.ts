import { randomUUID } from 'node:crypto';
import { PGlite } from '@electric-sql/pglite';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrate, PostgresBrokerError } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMigration } from '../../packages/postgres/src/migrate.ts';
import { MIGRATIONS } from '../../packages/postgres/src/schema/migrations.ts';
import { promiseOf } from '../contract/worker/worker-scene.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool, sleep } from './open-broker.ts';

const VERSION = MIGRATIONS.length;

/** A step that a later version of the package might take: it locks what workers write, and changes what they call. */
const LATER_STEP = `
alter table ready add column note text;
alter table claim add column note text;
alter table run add column note text;
create or replace function now_ms() returns bigint language sql volatile as $$
  select floor(extract(epoch from clock_timestamp()) * 1000)::bigint
$$;
`;

const newName = (): string => `migrate_${randomUUID().slice(0, 8)}`;

function testMigrate(client: () => SqlClient): void {
  const versionOf = async (schema: string): Promise<unknown> =>
    (await client().query(`select version from ${schema}.schema_version`)).rows;
  const drop = (schema: string): Promise<unknown> => client().query(`drop schema ${schema} cascade`);

  it('makes the schema, gives its version, and does nothing when asked again', async () => {
    const schema = newName();

    const first = await migrate(client(), { schema });
    const broker = createPostgresBroker({ client: client(), schema, listen: false });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    const again = await migrate(client(), { schema });

    expect([first, again]).toEqual([VERSION, VERSION]);
    expect(await versionOf(schema)).toEqual([{ version: VERSION }]);
    expect((await broker.get(['a']))[0]?.state).toBe('submitted');
    await broker.close();
    await drop(schema);
  });

  it('refuses a schema that a newer package has made, and leaves it as it is', async () => {
    const schema = newName();
    await migrate(client(), { schema });
    await client().query(`update ${schema}.schema_version set version = ${VERSION + 1}`);
    const broker = createPostgresBroker({ client: client(), schema, listen: false });

    const refusals = await Promise.all([
      migrate(client(), { schema }).catch((error: unknown) => error),
      broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]).catch((error: unknown) => error),
    ]);

    for (const refusal of refusals) {
      expect(refusal).toBeInstanceOf(PostgresBrokerError);
      expect(refusal).toMatchObject({ code: 'NEWER_SCHEMA' });
    }
    expect(refusals.map((refusal) => (refusal as Error).message)).toEqual([
      `the schema ${schema} has version ${VERSION + 1}, but this package knows versions up to ${VERSION}. Upgrade @retry/postgres.`,
      `the schema ${schema} has version ${VERSION + 1}, but this package needs version ${VERSION}. Upgrade @retry/postgres.`,
    ]);
    expect(await versionOf(schema)).toEqual([{ version: VERSION + 1 }]);
    await broker.close();
    await drop(schema);
  });

  it('leaves nothing of a step that fails', async () => {
    const schema = newName();
    await migrate(client(), { schema });

    const steps = [...MIGRATIONS, 'create table half (); create table half ();'];
    await expect(client().query(writeMigration(schema, steps))).rejects.toThrow('already exists');

    expect(await versionOf(schema)).toEqual([{ version: VERSION }]);
    const { rows } = await client().query(`select to_regclass('${schema}.half') as half`);
    expect(rows).toEqual([{ half: null }]);
    await drop(schema);
  });

  it.each(['', 'x'.repeat(51), '$migrate$', 'a$&b', 'a\\b', 'a\nb'])(
    'refuses the name %j',
    async (schema) => {
      await expect(migrate(client(), { schema })).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    },
  );
}

describe('migrate in PGlite', () => {
  let pglite: PGlite;
  beforeAll(async () => {
    pglite = await PGlite.create();
  }, 60_000);
  afterAll(() => pglite.close());

  testMigrate(() => pglite);
});

describeOnPostgres('migrate', (server) => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = openPool(server().url, 10);
  });
  afterAll(() => pool.end());

  testMigrate(() => pool);

  it('takes ten calls at once, of which one makes the schema', async () => {
    for (let round = 0; round < 5; round += 1) {
      const schema = newName();

      const versions = await Promise.all(Array.from({ length: 10 }, () => migrate(pool, { schema })));

      const { rows } = await pool.query(`select version from ${schema}.schema_version`);
      expect(versions).toEqual(Array(10).fill(VERSION));
      expect(rows).toEqual([{ version: VERSION }]);
      await pool.query(`drop schema ${schema} cascade`);
    }
  });

  it('leaves the search path of a transaction around it alone', async () => {
    const tx = await pool.connect();
    const path = async (): Promise<unknown> => (await tx.query('show search_path')).rows;
    const before = await path();

    await tx.query('begin');
    await migrate(tx, { schema: newName() });
    const within = await path();
    await tx.query('rollback');
    tx.release();

    expect(within).toEqual(before);
  });

  it('loses nothing of what workers work on meanwhile, also when it changes their tables', async () => {
    const schema = newName();
    await migrate(pool, { schema });
    const broker = createPostgresBroker({ url: server().url, schema, keepCompleted: Infinity });
    const queue = createQueue({ broker });
    const starts = new Map<string, number>();
    const { promise: migrated, resolve: goOn } = promiseOf<void>();
    const task = defineTask({
      name: 'work',
      run: async (index: number, { id }) => {
        starts.set(id, (starts.get(id) ?? 0) + 1);
        // Half of the runs come after the migration, however quick the workers are.
        await (index < 1_000 ? sleep(1) : migrated);
      },
    });
    const workers = [1, 2].map(() => createWorker({ broker, tasks: [task], concurrency: 10, signals: [] }));
    const errors: unknown[] = [];
    for (const worker of workers) worker.on('error', ({ error }) => errors.push(error));
    await queue.submitMany(task, [...Array(2_000).keys()]);
    for (const worker of workers) worker.start();

    while (starts.size < 200) await sleep(1);
    const steps = [...MIGRATIONS, LATER_STEP];
    await Promise.all(Array.from({ length: 5 }, () => pool.query(writeMigration(schema, steps))));
    goOn();
    await Promise.all(workers.map((worker) => worker.whenIdle()));

    const audit = await broker.audit();
    await Promise.all(workers.map((worker) => worker.stop()));
    await broker.close();
    await pool.query(`drop schema ${schema} cascade`);
    expect(errors).toEqual([]);
    expect([...starts.values()].every((count) => count === 1)).toBe(true);
    expect(audit).toMatchObject({ submitted: 2_000, unbalanced: 0, ended: { completed: 2_000 } });
  });
});

import { randomUUID } from 'node:crypto';
import type { PGlite } from '@electric-sql/pglite';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrate, PostgresBrokerError } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeMigration } from '../../packages/postgres/src/schema/migrations/write-migration.ts';
import type { SchemaBuild } from '../../packages/postgres/src/schema/migrations.ts';
import { BUILD, MIGRATIONS } from '../../packages/postgres/src/schema/migrations.ts';
import { promiseOf } from '../contract/worker/worker-scene.ts';
import { passTime } from '../support/pass-time.ts';
import { openPGlite } from '../support/pglite.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';

const VERSION = MIGRATIONS.length;

/** A step that a later version may add: it locks tables that workers write, and changes a function that they call. */
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

  it('creates the schema and returns its version; a second call keeps the runs', async () => {
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

  it('refuses a schema of a newer version, and leaves it unchanged', async () => {
    const schema = newName();
    await migrate(client(), { schema });
    await client().query(
      `update ${schema}.schema_version set version = ${VERSION + 1}, serves_from = ${VERSION + 1}`,
    );
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

  it('undoes a step that fails', async () => {
    const schema = newName();
    await migrate(client(), { schema });

    const steps = [...MIGRATIONS, 'create table half (); create table half ();'];
    await expect(client().query(writeMigration(schema, { ...BUILD, steps }))).rejects.toThrow(
      'already exists',
    );

    expect(await versionOf(schema)).toEqual([{ version: VERSION }]);
    const { rows } = await client().query(`select to_regclass('${schema}.half') as half`);
    expect(rows).toEqual([{ half: null }]);
    await drop(schema);
  });

  it('serves a broker of an older version, but refuses its migration, where the newer version says so', async () => {
    const schema = newName();
    await migrate(client(), { schema });
    await client().query(`update ${schema}.schema_version set version = ${VERSION + 1}`);
    const broker = createPostgresBroker({ client: client(), schema, listen: false });

    const answers = await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    const refusal: unknown = await migrate(client(), { schema }).catch((error: unknown) => error);

    expect(answers).toEqual(['created']);
    expect(refusal).toMatchObject({
      code: 'NEWER_SCHEMA',
      message:
        `the schema ${schema} has version ${VERSION + 1}, but this package knows versions up to ${VERSION}. ` +
        'Its brokers still work on this schema: leave migrations to the newer version of @retry/postgres.',
    });
    expect(await versionOf(schema)).toEqual([{ version: VERSION + 1 }]);
    await broker.close();
    await drop(schema);
  });

  it('replaces its functions and views, drops those that it no longer has, and keeps those of others', async () => {
    const schema = newName();
    const migrateTo = (...routines: readonly string[]): Promise<unknown> =>
      client().query(writeMigration(schema, { ...BUILD, routines: [...BUILD.routines, ...routines] }));
    const result = async (sql: string): Promise<unknown> => (await client().query(sql)).rows[0];
    await migrateTo(
      "create function kept(p_a text) returns text language sql as 'select p_a'",
      "create function gone() returns text language sql as 'select null::text'",
      "create view shown as select {schema}.kept('a') as a",
      'create view gone_view as select {schema}.gone() as a',
    );
    await client().query(
      `create function ${schema}.of_others() returns text language sql as 'select null::text'`,
    );
    await client().query(`create view ${schema}.view_of_others as select 1 as a`);

    await migrateTo(
      "create function kept(p_a text, p_b text default 'b') returns jsonb language sql as 'select to_jsonb(p_a || p_b)'",
      "create view shown as select 1 as number, {schema}.kept('a') as a",
    );

    expect(await result(`select * from ${schema}.shown`)).toEqual({ number: 1, a: 'ab' });
    expect(
      await result(`select to_regprocedure('${schema}.gone()') as gone, to_regprocedure('${schema}.kept(text)') as former,
        to_regclass('${schema}.gone_view') as view, to_regprocedure('${schema}.of_others()') is not null as others,
        to_regclass('${schema}.view_of_others') is not null as views`),
    ).toEqual({ gone: null, former: null, view: null, others: true, views: true });
    await drop(schema);
  });

  it('changes nothing if a view of others depends on a view that it has to replace', async () => {
    const schema = newName();
    const build = (column: string): SchemaBuild => ({
      steps: [...MIGRATIONS, 'create table later ()'],
      routines: [...BUILD.routines, `create view shown as select 1 as ${column}`],
      servesFrom: 1,
    });
    await client().query(writeMigration(schema, { ...build('a'), steps: MIGRATIONS }));
    await client().query(`create view ${schema}.of_others as select a from ${schema}.shown`);

    await expect(client().query(writeMigration(schema, build('b')))).rejects.toMatchObject({ code: '2BP01' });

    const { rows } = await client().query(
      `select to_regclass('${schema}.later') as later, a from ${schema}.of_others`,
    );
    expect(rows).toEqual([{ later: null, a: 1 }]);
    expect(await versionOf(schema)).toEqual([{ version: VERSION }]);
    await drop(schema);
  });

  it('restores a function that was changed and a view that was dropped by hand', async () => {
    const schema = newName();
    await migrate(client(), { schema });
    await client().query(`drop view ${schema}.retry_eligible`);
    await client().query(
      `create or replace function ${schema}.now_ms() returns bigint language sql as 'select 0::bigint'`,
    );

    await migrate(client(), { schema });

    const { rows } = await client().query(
      `select ${schema}.now_ms() > 0 as runs, (select count(*)::integer from ${schema}.retry_eligible) as eligible`,
    );
    expect(rows).toEqual([{ runs: true, eligible: 0 }]);
    await drop(schema);
  });

  it('keeps the grants of functions and views that it has to drop', async () => {
    const schema = newName();
    const build = (parameter: string, column: string): SchemaBuild => ({
      ...BUILD,
      routines: [
        ...BUILD.routines,
        `create function granted(${parameter}) returns text language sql as 'select null::text'`,
        `create view shown as select 1 as ${column}`,
      ],
    });
    await client().query(writeMigration(schema, build('p_a text', 'a')));
    await client().query(`revoke all on function ${schema}.granted from public`);
    await client().query(`grant execute on function ${schema}.granted to pg_monitor with grant option`);
    await client().query(`grant select on ${schema}.shown to public`);

    await client().query(writeMigration(schema, build('p_a text, p_b text default null', 'b')));

    const { rows } = await client().query(
      `select kind, case grantee when 0 then 'public' else grantee::regrole::text end as grantee, is_grantable from (
        select 'function' as kind, acl.* from pg_proc, aclexplode(proacl) acl where oid = '${schema}.granted'::regproc
        union all select 'view', acl.* from pg_class, aclexplode(relacl) acl where oid = '${schema}.shown'::regclass
      ) granted where grantee <> grantor order by kind`,
    );
    expect(rows).toEqual([
      { kind: 'function', grantee: 'pg_monitor', is_grantable: true },
      { kind: 'view', grantee: 'public', is_grantable: false },
    ]);
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
    pglite = await openPGlite();
  });
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

  it('accepts ten calls at the same time, one of which creates the schema', async () => {
    for (let round = 0; round < 5; round += 1) {
      const schema = newName();

      const versions = await Promise.all(Array.from({ length: 10 }, () => migrate(pool, { schema })));

      const { rows } = await pool.query(`select version from ${schema}.schema_version`);
      expect(versions).toEqual(Array(10).fill(VERSION));
      expect(rows).toEqual([{ version: VERSION }]);
      await pool.query(`drop schema ${schema} cascade`);
    }
  });

  it('does not change the search path of the transaction that it runs in', async () => {
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

  it('loses no run of workers that run meanwhile, also when it changes their tables', async () => {
    const schema = newName();
    await migrate(pool, { schema });
    const broker = createPostgresBroker({ url: server().url, schema, keepCompleted: { count: Infinity } });
    const queue = createQueue({ broker });
    const starts = new Map<string, number>();
    const { promise: migrated, resolve: endMigration } = promiseOf<void>();
    const task = defineTask({
      name: 'work',
      run: async (index: number, { id }) => {
        starts.set(id, (starts.get(id) ?? 0) + 1);
        // Half of the runs come after the migration, however quick the workers are.
        await (index < 1_000 ? passTime(1) : migrated);
      },
    });
    const workers = [1, 2].map(() => createWorker({ broker, tasks: [task], concurrency: 10, signals: [] }));
    const errors: unknown[] = [];
    for (const worker of workers) worker.on('error', ({ error }) => errors.push(error));
    await queue.submitMany(task, [...Array(2_000).keys()]);
    for (const worker of workers) worker.start();

    while (starts.size < 200) await passTime(1);
    const steps = [...MIGRATIONS, LATER_STEP];
    await Promise.all(
      Array.from({ length: 5 }, () => pool.query(writeMigration(schema, { ...BUILD, steps }))),
    );
    endMigration();
    await Promise.all(workers.map((worker) => worker.whenIdle()));

    const audit = await broker.audit();
    await Promise.all(workers.map((worker) => worker.stop()));
    await broker.close();
    await pool.query(`drop schema ${schema} cascade`);
    expect(errors).toEqual([]);
    expect([...starts.values()].every((count) => count === 1)).toBe(true);
    expect(audit).toMatchObject({ created: 2_000, unbalanced: 0, ended: { completed: 2_000 } });
  });
});

import { migrate, PostgresBrokerError } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyOf, writeMigration } from '../../packages/postgres/src/schema/migrations/write-migration.ts';
import type { SchemaBuild } from '../../packages/postgres/src/schema/migrations.ts';
import { BUILD, MIGRATIONS } from '../../packages/postgres/src/schema/migrations.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openPool } from './open-broker.ts';

/** A later version that gives every function and the view another head, and therefore makes each of them anew. */
const LATER: SchemaBuild = { ...BUILD, routines: BUILD.routines.map(changeHead) };

function changeHead(definition: string): string {
  return definition.startsWith('create view')
    ? definition.replace('\n  from (', ', null::text as note\n  from (')
    : definition.replace(' as $', ' cost 77 as $');
}

/** What others can have put on the objects of the schema `retry`, one row for each object. */
const PUT_THERE = `
  with acls (object, acl) as (
    select 'schema', nspacl from pg_namespace where nspname = 'retry'
    union all select 'function ' || proname, coalesce(proacl, acldefault('f', proowner)) from pg_proc where pronamespace = 'retry'::regnamespace
    union all select 'relation ' || relname, coalesce(relacl, acldefault('r', relowner)) from pg_class
      where relnamespace = 'retry'::regnamespace and relkind in ('r', 'v')
    union all select 'column ' || attrelid::regclass || '.' || attname, attacl from pg_attribute
      join pg_class c on c.oid = attrelid where relnamespace = 'retry'::regnamespace and attacl is not null
  ), comments (object, said) as (
    select 'schema', obj_description('retry'::regnamespace, 'pg_namespace')
    union all select 'function ' || proname, obj_description(oid, 'pg_proc')
      from pg_proc where pronamespace = 'retry'::regnamespace
    union all select 'relation ' || relname, obj_description(oid, 'pg_class')
      from pg_class where relnamespace = 'retry'::regnamespace
    union all select 'column ' || attrelid::regclass || '.' || attname, col_description(attrelid, attnum)
      from pg_attribute join pg_class c on c.oid = attrelid where relnamespace = 'retry'::regnamespace
  )
  select 'owner of function ' || proname as object, proowner::regrole::text as is from pg_proc where pronamespace = 'retry'::regnamespace
  union all select 'owner of ' || relname, relowner::regrole::text from pg_class where relnamespace = 'retry'::regnamespace
  union all select 'grants on ' || object, string_agg(concat_ws(' ', grantee::regrole, privilege_type, is_grantable), ', '
    order by grantee::text, privilege_type) from acls, aclexplode(acl) group by object
  union all select 'comment on ' || object, said from comments where said is not null
  union all select 'settings of ' || proname, array_to_string(proconfig, ', ') from pg_proc
    where pronamespace = 'retry'::regnamespace and proconfig is not null
  union all select 'rights of ' || proname, 'definer' from pg_proc where pronamespace = 'retry'::regnamespace and prosecdef
  union all select 'options of ' || relname, array_to_string(reloptions, ', ') from pg_class
    where relnamespace = 'retry'::regnamespace and reloptions is not null
  union all select 'row security of ' || relname, concat(relrowsecurity, relforcerowsecurity) from pg_class
    where relnamespace = 'retry'::regnamespace and relrowsecurity
  union all select 'policy of ' || tablename, policyname from pg_policies where schemaname = 'retry'
  union all select 'published ' || tablename, pubname from pg_publication_tables where schemaname = 'retry'
  union all select 'trigger of ' || tgrelid::regclass, pg_get_triggerdef(t.oid) from pg_trigger t
    join pg_class c on c.oid = tgrelid where relnamespace = 'retry'::regnamespace and not tgisinternal
  union all select 'index ' || indexname, indexdef from pg_indexes where schemaname = 'retry'
  union all select 'default grants ' || defaclobjtype::text, defaclacl::text from pg_default_acl
  order by 1, 2`;

/** What administrators do, on every function, table and column that there is. */
const WORK_OF_ADMINISTRATORS = `
do $do$
declare
  v_object text;
begin
  for v_object in select oid::regprocedure::text from pg_proc where pronamespace = 'retry'::regnamespace loop
    execute format('revoke all on function %s from public', v_object);
    execute format('grant execute on function %s to app with grant option', v_object);
    execute format('grant execute on function %s to "Odd ""role"', v_object);
    execute format('comment on function %s is %L', v_object, 'It''s ours \\ $$ ' || v_object);
    execute format('alter function %s set work_mem = %L', v_object, '7MB');
    execute format('alter function %s set application_name = %L', v_object, 'a = ''b''');
  end loop;
  alter function retry.claim_runs security definer;
  alter function retry.now_ms set search_path = "Odd schema", pg_catalog;
  for v_object in select oid::regclass::text from pg_class where relnamespace = 'retry'::regnamespace and relkind in ('r', 'v') loop
    execute format('grant select, insert on %s to app with grant option', v_object);
    execute format('grant select on %s to public', v_object);
    execute format('revoke delete on %s from owner_of_queue', v_object);
    execute format('comment on %s %s is %L', case when v_object like '%retry_eligible' then 'view' else 'table' end, v_object, v_object);
  end loop;
  grant select (id), update (lane) on retry.retry_eligible to "Odd ""role";
  grant select (id) on retry.run to "Odd ""role";
  comment on column retry.retry_eligible.lane is 'whose';
  comment on column retry.run.lane is 'whose';
  comment on schema retry is 'the queue';
  grant usage on schema retry to app;
  alter view retry.retry_eligible set (security_barrier = true);
  alter table retry.run enable row level security;
  create policy for_app on retry.run to app using (lane <> 'secret');
  create function public.note_change() returns trigger language plpgsql as 'begin return new; end';
  create trigger noted after insert on retry.run for each row execute function public.note_change();
  create index by_name on retry.run (error_name);
  create publication shown for table retry.run, retry.note;
end
$do$`;

describeOnPrivatePostgres('what administrators have put on a schema', () => {
  let server: PrivatePostgres;
  let admin: pg.Pool;
  let owner: pg.Pool;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    admin = openPool(server.url, 2);
    await admin.query(
      'create role owner_of_queue login; create role app login; create role "Odd ""role"; create schema "Odd schema"',
    );
    await admin.query('grant create on database postgres to owner_of_queue');
    owner = openPool(server.url.replace('postgres@', 'owner_of_queue@'), 2);
  });
  afterAll(async () => {
    await Promise.all([admin.end(), owner.end()]);
    await server.stop();
  });
  beforeEach(async () => {
    await migrate(owner);
  });
  afterEach(async () => {
    await admin.query(
      'drop publication if exists shown; drop schema retry cascade; drop function if exists public.note_change; ' +
        'drop view if exists public.of_others; drop owned by app',
    );
  });

  const putThere = async (): Promise<readonly unknown[]> => (await admin.query(PUT_THERE)).rows;
  const migrateBy = (client: pg.Pool, build: SchemaBuild = LATER): Promise<unknown> =>
    client.query(writeMigration('retry', build));

  it('is put on each function and the view by this test, and each of them is made anew', async () => {
    const oids = async (): Promise<readonly unknown[]> =>
      (await admin.query("select oid from pg_proc where pronamespace = 'retry'::regnamespace")).rows;
    const before = await oids();

    await migrateBy(owner);

    const after = new Set((await oids()).map((row) => JSON.stringify(row)));
    expect(before).toHaveLength(BUILD.routines.length - 1);
    expect(before.filter((row) => after.has(JSON.stringify(row)))).toEqual([]);
    expect(LATER.routines.filter((text) => BUILD.routines.includes(text))).toEqual([]);
  });

  it.each([
    ['by the owner', () => owner, LATER],
    ['by a superuser', () => admin, LATER],
    ['of the same version', () => owner, BUILD],
  ])('is there after a migration %s as before it', async (_name, client, build) => {
    await admin.query(WORK_OF_ADMINISTRATORS);
    const before = await putThere();

    await migrateBy(client(), build);
    const after = await putThere();
    await migrateBy(client(), build);

    expect(after).toEqual(before);
    expect(await putThere()).toEqual(before);
    expect(before.length).toBeGreaterThan(300);
  });

  it('is put back by a superuser alone, where no other role may put it there', async () => {
    await admin.query('alter function retry.now_ms set log_min_duration_statement = 7');
    const before = await putThere();

    const refusal: unknown = await migrate(owner).catch((error: unknown) => error);
    const afterOwner = await putThere();
    await migrateBy(admin);

    expect(refusal).toMatchObject({ code: 'MISSING_RIGHTS' });
    expect(String(refusal)).toContain('permission denied to set parameter "log_min_duration_statement"');
    expect(afterOwner).toEqual(before);
    expect(await putThere()).toEqual(before);
  });

  it('is there where default privileges would give more', async () => {
    await owner.query('alter default privileges grant execute on functions to app');
    await owner.query('alter default privileges grant select on tables to app with grant option');
    const before = await putThere();

    await migrateBy(owner);
    const after = await putThere();
    await owner.query('alter default privileges revoke execute on functions from app');
    await owner.query('alter default privileges revoke select on tables from app');

    expect(after).toEqual(before);
  });

  it.each([
    [
      'a trigger',
      'create function public.note_change() returns trigger language plpgsql as $$begin return new; end$$; ' +
        'create trigger noted instead of insert on retry.retry_eligible for each row execute function public.note_change()',
      /the view retry\.retry_eligible has to be made anew, and would lose the trigger noted\. Remove that, migrate, and put it back\.$/,
    ],
    [
      'a rule',
      'create rule nothing as on insert to retry.retry_eligible do instead nothing',
      /would lose the rule nothing/,
    ],
    [
      'a default',
      "alter view retry.retry_eligible alter column lane set default 'l'",
      /would lose the default of the column lane/,
    ],
    [
      'another owner',
      'alter function retry.now_ms owner to postgres',
      /the function retry\.now_ms\(\) has to be made anew, and would lose its owner postgres/,
    ],
    [
      'a view of others',
      'create view public.of_others as select id from retry.retry_eligible',
      /cannot drop view retry_eligible because .*view (public\.)?of_others depends on view retry_eligible\. Drop what depends on it, migrate, and create it again\.$/,
    ],
    [
      'a policy that calls our function',
      'create policy by_clock on retry.run using (retry.now_ms() > 0)',
      /policy by_clock on table run depends on function now_ms\(\)/,
    ],
  ])('is refused, and kept, where no migration could put it back: %s', async (_name, sql, message) => {
    await admin.query(sql);
    const before = await putThere();

    // As `migrate` of a later version would.
    const client = { query: () => owner.query(writeMigration('retry', LATER)) };
    const refusal: unknown = await migrate(client).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(PostgresBrokerError);
    expect(refusal).toMatchObject({ code: 'BLOCKED_MIGRATION' });
    expect(String(refusal)).toContain('the schema retry was not migrated, and is unchanged: ');
    expect(String(refusal)).toMatch(message);
    expect(await putThere()).toEqual(before);
  });

  it('does not block a migration that changes what the view does not use', async () => {
    await admin.query('create view public.of_others as select id from retry.retry_eligible');
    const routines = BUILD.routines.map((text) =>
      text.startsWith('create function tidy_groups') ? changeHead(text) : text,
    );

    await migrateBy(owner, { ...BUILD, routines });

    const { rows } = await admin.query(
      "select procost from pg_proc where oid = 'retry.tidy_groups'::regproc",
    );
    expect(rows).toEqual([{ procost: 77 }]);
    expect((await admin.query('select * from public.of_others')).rows).toEqual([]);
  });

  it('belongs to the owner of the queue, whoever migrates, with what that has set as default privileges', async () => {
    await owner.query('alter default privileges in schema retry grant select on tables to app');
    const steps = [...MIGRATIONS, 'create table later (id text primary key)'];
    const added = "create function added() returns text language sql as $$select ''$$";

    await migrateBy(admin, { ...BUILD, steps, routines: [...BUILD.routines, added] });

    const { rows } = await admin.query(
      `select relowner::regrole::text as owner, has_table_privilege('app', oid, 'select') as granted,
        (select proowner::regrole::text from pg_proc where proname = 'added') as added from pg_class where relname = 'later'`,
    );
    expect(rows).toEqual([{ owner: 'owner_of_queue', granted: true, added: 'owner_of_queue' }]);
    expect(
      (await admin.query('select current_user, current_setting($1) as path', ['search_path'])).rows,
    ).toEqual([{ current_user: 'postgres', path: '"$user", public' }]);
    await migrateBy(owner, { ...LATER, steps, routines: [...LATER.routines, changeHead(added)] });
  });

  it('is left alone by a role that may not act for the owner, which is told so where a migration is needed', async () => {
    const app = openPool(server.url.replace('postgres@', 'app@'), 1);
    await admin.query('grant usage on schema retry to app; grant select on retry.schema_version to app');

    const same = await migrate(app);
    const steps = [...MIGRATIONS, 'create table later ()'];
    const later = { query: () => app.query(writeMigration('retry', { ...BUILD, steps })) };
    const refusal: unknown = await migrate(later).catch((error: unknown) => error);
    const none: unknown = await migrate(app, { schema: 'other' }).catch((error: unknown) => error);
    await app.end();

    expect(same).toBe(MIGRATIONS.length);
    expect([refusal, none]).toMatchObject([{ code: 'MISSING_RIGHTS' }, { code: 'MISSING_RIGHTS' }]);
    expect(String(refusal)).toContain(
      'the schema retry was not migrated, and is unchanged: the queue belongs to the role owner_of_queue, for which app may not act. ' +
        'Migrate as the role that owns the schema',
    );
    expect(String(none)).toContain(
      'the schema other was not migrated, and is unchanged: permission denied for database postgres. Migrate as',
    );
  });

  it.each(['repeatable read', 'serializable'])(
    'is migrated by ten processes at the same time, whose transactions are %s',
    async (level) => {
      await admin.query('drop schema retry cascade');
      await admin.query(`alter role owner_of_queue set default_transaction_isolation = '${level}'`);
      const pool = openPool(server.url.replace('postgres@', 'owner_of_queue@'), 10);

      const created = await Promise.all(Array.from({ length: 10 }, () => migrate(pool)));
      const upgraded = await Promise.all(
        Array.from({ length: 10 }, () =>
          migrate({ query: () => pool.query(writeMigration('retry', LATER)) }),
        ),
      );
      const { rows } = await pool.query('select version from retry.schema_version');
      await pool.end();
      await admin.query('alter role owner_of_queue reset default_transaction_isolation');

      expect([...created, ...upgraded]).toEqual(Array(20).fill(MIGRATIONS.length));
      expect(rows).toEqual([{ version: MIGRATIONS.length }]);
    },
  );

  it('does not stop a queue where a publication has all tables', async () => {
    await admin.query('create publication shown for all tables');

    const { rows } = await admin.query(
      `select relname from pg_class c where relnamespace = 'retry'::regnamespace and relkind = 'r' and relreplident <> 'f'
        and not exists (select from pg_index where indrelid = c.oid and indisprimary)`,
    );
    await migrateBy(owner);

    expect(rows).toEqual([]);
    for (const table of ['turn', 'tally', 'error_group']) await admin.query(`delete from retry.${table}`);
  });
});

describeOnPrivatePostgres('what others have in a schema', () => {
  let server: PrivatePostgres;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    pool = openPool(server.url, 1);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });
  afterEach(async () => {
    await pool.query(
      'reset search_path; drop schema if exists own cascade; drop schema if exists evil cascade',
    );
  });

  it('is left alone: overloads of every function', async () => {
    await migrate(pool, { schema: 'own' });
    const { rows: names } = await pool.query(
      "select proname as name from pg_proc where pronamespace = 'own'::regnamespace",
    );
    for (const { name } of names)
      await pool.query(
        `create function own.${name}(a macaddr, b point) returns int language sql as 'select 7'`,
      );
    await pool.query("comment on function own.now_ms(macaddr, point) is 'ours'");

    await pool.query(writeMigration('own', LATER));

    const { rows } = await pool.query(
      `select count(*)::integer as count, max(procost) as cost, max(obj_description(oid)) as said from pg_proc
        where pronamespace = 'own'::regnamespace and prosrc = 'select 7'`,
    );
    expect(rows).toEqual([{ count: names.length, cost: 100, said: 'ours' }]);
    expect(names).toHaveLength(BUILD.routines.length - 1);
  });

  it.each([
    [
      'a function of the same name and types',
      "create function own.now_ms() returns text language sql as $$select 'ours'$$",
      'the function now_ms() in the schema own is not of @retry/postgres. Rename it, or use another schema.',
    ],
    [
      'a view of the same name',
      'create view own.retry_eligible as select 1 as a',
      'the view retry_eligible in the schema own is not of @retry/postgres.',
    ],
    [
      'a table of the same name',
      'create table own.run (id text)',
      'relation "run" already exists. Rename what is not of @retry/postgres, or use another schema.',
    ],
    [
      'the version of another program',
      'create table own.schema_version (installed_rank integer)',
      'the schema own has a table schema_version of another program. Use another schema.',
    ],
  ])('is never replaced, nor taken for ours: %s', async (_name, sql, message) => {
    await pool.query(`create schema own; ${sql}`);

    const refusal: unknown = await migrate(pool, { schema: 'own' }).catch((error: unknown) => error);

    const { rows } = await pool.query(
      `select count(*)::integer as made from pg_class where relnamespace = 'own'::regnamespace`,
    );
    expect(refusal).toMatchObject({ code: 'BLOCKED_MIGRATION' });
    expect(String(refusal)).toContain(`the schema own was not migrated, and is unchanged: ${message}`);
    expect(rows[0].made).toBeLessThanOrEqual(1);
  });

  it('is not called, whatever the search path puts first', async () => {
    await pool.query('create schema evil; create schema own');
    for (const [head, result] of [
      ['to_regclass(text)', 'regclass'],
      ['to_regnamespace(text)', 'regnamespace'],
      ['pg_advisory_xact_lock(integer, integer)', 'void'],
      ['set_config(text, text, boolean)', 'text'],
      ['current_setting(text)', 'text'],
    ])
      await pool.query(
        `create function evil.${head} returns ${result} language plpgsql as $$begin raise exception 'called'; end$$`,
      );
    await pool.query('set search_path = evil, own, pg_catalog');

    const versions = [await migrate(pool, { schema: 'own' }), await migrate(pool, { schema: 'own' })];
    await pool.query(writeMigration('own', LATER));

    expect(versions).toEqual([MIGRATIONS.length, MIGRATIONS.length]);
  });

  it.each(['Odd name', `a"b'c`, 'a.b', 'select', '%s', '-x', 'ä'])(
    'may have a name that has to be quoted: %s',
    async (schema) => {
      await migrate(pool, { schema });

      await pool.query(writeMigration(schema, LATER));
      const { rows } = await pool.query('select count(*)::integer as count from pg_proc where procost = 77');
      await pool.query(`drop schema "${schema.replaceAll('"', '""')}" cascade`);

      expect(rows).toEqual([{ count: BUILD.routines.length - 1 }]);
    },
  );
});

describe('the key of a definition', () => {
  it.each([
    ['create function now_ms() returns bigint language sql as $$ select 1 $$', 'function now_ms()'],
    [
      `create function f(p_a text[] default '{}', p_b "char", p_c double precision default 3, inout p_e tid[], out o_d bigint) returns record as $$`,
      'function f(text[], "char", double precision, tid[])',
    ],
    ['create view shown as select f(1)', 'view shown'],
  ])('has the types of its inputs: %s', (definition, key) => {
    expect(keyOf(definition)).toBe(key);
  });
});

import type { SchemaBuild } from '../migrations.ts';
import { dollarQuote, fillIn, lockOf, quoteName, quoteText } from '../migrations.ts';
import { BLOCKED, carryOver, idOf, objectOf } from './carry-over.ts';

/** The SQLSTATE of a schema that is newer than the package: a class that Postgres leaves to its users. */
export const NEWER = 'RT001';

/** How often a migration is tried that deadlocks with running calls. */
const MAX_TRIES = 10;

/**
 * Writes the migration as one `do` statement:
 *
 * 1. takes the advisory lock of the schema, so that migrations run one after another;
 * 2. refuses a schema of a newer version; does nothing for a role that may not act for the owner of a schema of this version;
 * 3. acts as the owner from now on, so that all belongs to one role, and what it has set as default privileges holds;
 * 4. runs the steps that the schema does not have yet;
 * 5. drops functions and views that the package no longer has or that have another head (of a function, everything before
 *    its body; of a view, all of it), and views that depend on those;
 * 6. creates or replaces every function and each missing view, and puts on them again what an administrator had put on them.
 *
 * Functions that keep their head are replaced in place, so that running calls and prepared statements keep working.
 * `schema_version.routines` lists what the latest migration created, by kind, name and types; nothing else in the schema is ever dropped
 * or replaced. In a transaction that does not see what another migration has done meanwhile it fails with 40001, and changes nothing.
 */
export function writeMigration(schema: string, { steps, routines, servesFrom }: SchemaBuild): string {
  const version = steps.length;
  const table = `${quoteName(schema)}.schema_version`;
  const body = `
declare
  v_path text := pg_catalog.current_setting('search_path');
  v_role text := pg_catalog.current_setting('role');
  v_owner name;
  v_may_act boolean;
  v_may_all boolean := pg_catalog.current_setting('is_superuser') = 'on';
  v_version integer;
  v_serves_from integer;
  v_created jsonb;
  v_keys text[] := array[${routines.map((text) => quoteText(keyOf(text))).join(', ')}]::text[];
  v_definitions text[] := array[${routines.map((text) => writeRoutine(text, schema)).join(',')}]::text[];
  v_heads jsonb;
  v_outdated text[];
  v_kept jsonb;
  v_text text;
begin
  perform pg_catalog.set_config('search_path', ${quoteText(`${quoteName(schema)}, pg_temp`)}, true);
  perform pg_advisory_xact_lock(${lockOf(schema)}, 0);${openVersion(schema)}
  select version, serves_from, routines into v_version, v_serves_from, v_created from ${table};
  if not found then
    raise exception 'the version of the schema % is not visible in this transaction', ${quoteText(schema)}
      using errcode = 'serialization_failure';
  end if;
${refuseNewer(schema, version)}
${actAsOwner(schema, version)}
  perform from ${table} for update;
  for v_try in 1 .. ${MAX_TRIES} loop
    begin
${steps.map((step, index) => writeStep(fillIn(step, schema), index)).join('')}${replaceRoutines(schema)}
      update ${table} set version = ${version}, serves_from = ${servesFrom}, routines = v_heads
      where (version, serves_from, routines) is distinct from (${version}, ${servesFrom}, v_heads);
      exit;
    exception when deadlock_detected then
      if v_try = ${MAX_TRIES} then
        raise;
      end if;
    end;
  end loop;
  perform set_config('role', v_role, true), set_config('search_path', v_path, true);
end
`;
  return `do ${dollarQuote(body, 'migrate')}`;
}

function writeRoutine(definition: string, schema: string): string {
  return dollarQuote(fillIn(definition.replace(/^create /, 'create or replace '), schema), 'routine');
}

/**
 * Returns the kind, name and types of what a definition creates, which tell it from overloads that others have made:
 * `function pass_turn(text, text, boolean)`, `view retry_eligible`.
 */
export function keyOf(definition: string): string {
  const [, kind = '', name = '', written = ''] =
    /^create (function|view) (\w+)\s*(?:\(([^)]*)\))?/.exec(definition) ?? [];
  if (kind === 'view') return `view ${name}`;
  const parameters = written.split(',').map((one) => one.trim().replace(/\s+default\s.*$/s, ''));
  const types = parameters
    .filter((one) => !/^(out\s|$)/.test(one))
    .map((one) => one.replace(/^(?:in\s|inout\s|variadic\s)?\s*\w+\s+/, ''));
  return `function ${name}(${types.join(', ')})`;
}

/** Creates the table of the version, and the schema where it does not exist: a role may own one that it may not create. */
function openVersion(schema: string): string {
  const name = quoteName(schema);
  const table = quoteText(`${name}.schema_version`);
  return `
  if to_regclass(${table}) is null then
    if to_regnamespace(${quoteText(name)}) is null then
      create schema ${name};
    end if;
    create table ${name}.schema_version (version integer not null, serves_from integer not null, routines jsonb not null);
    alter table ${name}.schema_version replica identity full;
    insert into ${name}.schema_version values (0, 0, '{}');
  elsif exists (select from pg_class where oid = to_regclass(${table}))
    and not exists (select from pg_attribute where attrelid = to_regclass(${table}) and attname = 'serves_from') then
    raise exception 'the schema % has a table schema_version of another program. Use another schema.', ${quoteText(schema)}
      using errcode = '${BLOCKED}';
  end if;`;
}

function refuseNewer(schema: string, version: number): string {
  return `  if v_version > ${version} then
    raise exception 'the schema % has version %, but this package knows versions up to ${version}. %', ${quoteText(schema)}, v_version,
      case when v_serves_from > ${version} then 'Upgrade @retry/postgres.'
        else 'Its brokers still work on this schema: leave migrations to the newer version of @retry/postgres.' end
      using errcode = '${NEWER}';
  end if;`;
}

/** Since version 16 a role may have the rights of another one, and yet not become it. */
function actAsOwner(schema: string, version: number): string {
  const table = quoteText(`${quoteName(schema)}.schema_version`);
  return `  select pg_get_userbyid(relowner) into v_owner from pg_class where oid = to_regclass(${table});
  if v_owner <> current_user then
    v_may_act := pg_has_role(v_owner, case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end);
    if not v_may_act and v_version = ${version} then
      perform set_config('search_path', v_path, true);
      return;
    elsif not v_may_act then
      raise exception 'the queue belongs to the role %, for which % may not act', quote_ident(v_owner), quote_ident(current_user)
        using errcode = 'insufficient_privilege';
    end if;
    perform set_config('role', v_owner, true);
  end if;`;
}

function writeStep(sql: string, index: number): string {
  return `      if v_version < ${index + 1} then
        execute ${dollarQuote(sql, 'step')};
      end if;
`;
}

/** Views may depend on functions: they are dropped before them, and created after all of them. */
function replaceRoutines(schema: string): string {
  const name = quoteText(schema);
  const { keep, putBack } = carryOver(schema);
  return `
      select jsonb_object_agg(key, case when key like 'view %' then definition else split_part(definition, ' as $', 1) end)
      into v_heads from unnest(v_keys, v_definitions) as made (key, definition);
      v_outdated := array (
        with recursive created as (
          select key, ${idOf('key', name)} as id
          from jsonb_object_keys(v_created) as key
        ), outdated as (
          select key, id from created where v_heads ->> key is distinct from v_created ->> key
          union
          select created.key, created.id from outdated
          join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.refobjid = outdated.id
            and d.refclassid = case when outdated.key like 'view %' then 'pg_class' else 'pg_proc' end::regclass
          join pg_rewrite w on w.oid = d.objid
          join created on created.id = w.ev_class and created.key like 'view %'
        )
        select key from outdated);
${keep}
      select string_agg(${objectOf('key', name)}, ', ') into v_text
      from unnest(v_outdated) as key where key like 'view %';
      if v_text is not null then
        execute concat('drop view if exists ', v_text);
      end if;
      select string_agg(${objectOf('key', name)}, ', ') into v_text
      from unnest(v_outdated) as key where key like 'function %';
      if v_text is not null then
        execute concat('drop function if exists ', v_text);
      end if;
      select key into v_text from unnest(v_keys) as key
      where not v_created ? key and ${idOf('key', name)} is not null
      limit 1;
      if found then
        raise exception 'the % in the schema % is not of @retry/postgres. Rename it, or use another schema.', v_text, ${name}
          using errcode = '${BLOCKED}';
      end if;
      for v_n in 1 .. cardinality(v_keys) loop
        continue when v_keys[v_n] like 'view %' and ${idOf('v_keys[v_n]', name)} is not null;
        execute v_definitions[v_n];
      end loop;
${putBack}`;
}

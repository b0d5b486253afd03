import type { SchemaBuild } from '../migrations.ts';
import { dollarQuote, fillIn, lockOf, quoteName, quoteText } from '../migrations.ts';

/** The SQLSTATE of a schema that is newer than the package: a class that Postgres leaves to its users. */
export const NEWER = 'RT001';

/** How often a migration is tried that deadlocks with running calls. */
const MAX_TRIES = 10;

/**
 * Writes the migration as one `do` statement:
 *
 * 1. takes the advisory lock of the schema, so that migrations run one after another;
 * 2. refuses a schema of a newer version; does nothing for a role that does not own a schema of this version;
 * 3. runs the steps that the schema does not have yet;
 * 4. drops functions and views that the package no longer has or that have another head (of a function, everything before
 *    its body; of a view, all of it), and remembers their grants;
 * 5. creates or replaces every function and each missing view, and grants again what was granted.
 *
 * Functions that keep their head are replaced in place, so that running calls and prepared statements keep working.
 * `schema_version.routines` lists what the latest migration created; nothing else in the schema is ever dropped.
 */
export function writeMigration(schema: string, { steps, routines, servesFrom }: SchemaBuild): string {
  const version = steps.length;
  const body = `
declare
  v_version integer;
  v_serves_from integer;
  v_created jsonb;
  v_definitions text[] := array[${routines.map((text) => writeRoutine(text, schema)).join(',')}]::text[];
  v_heads jsonb;
  v_outdated text[];
  v_grants text[];
  v_text text;
  v_path text := current_setting('search_path');
begin
  perform pg_advisory_xact_lock(${lockOf(schema)}, 0);${openVersion(schema)}
  select version, serves_from, routines into v_version, v_serves_from, v_created from ${quoteName(schema)}.schema_version;
${refuseNewer(schema, version)}
  if v_version = ${version} and not pg_has_role(${ownerOf(schema)}, 'usage') then
    return;
  end if;
  perform set_config('search_path', ${quoteText(`${quoteName(schema)}, pg_temp`)}, true);
  for v_try in 1 .. ${MAX_TRIES} loop
    begin
${steps.map((step, index) => writeStep(fillIn(step, schema), index)).join('')}${replaceRoutines(schema)}
      update schema_version set version = ${version}, serves_from = ${servesFrom}, routines = v_heads;
      exit;
    exception when deadlock_detected then
      if v_try = ${MAX_TRIES} then
        raise;
      end if;
    end;
  end loop;
  perform set_config('search_path', v_path, true);
end
`;
  return `do ${dollarQuote(body, 'migrate')}`;
}

function writeRoutine(definition: string, schema: string): string {
  return dollarQuote(fillIn(definition.replace(/^create /, 'create or replace '), schema), 'routine');
}

/** Creates the table of the version, and the schema where it does not exist: a role may own one that it may not create. */
function openVersion(schema: string): string {
  const name = quoteName(schema);
  return `
  if to_regclass(${quoteText(`${name}.schema_version`)}) is null then
    if to_regnamespace(${quoteText(name)}) is null then
      create schema ${name};
    end if;
    create table ${name}.schema_version (version integer not null, serves_from integer not null, routines jsonb not null);
    insert into ${name}.schema_version values (0, 0, '{}');
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

function ownerOf(schema: string): string {
  const table = quoteText(`${quoteName(schema)}.schema_version`);
  return `(select relowner from pg_class where oid = to_regclass(${table}))`;
}

function writeStep(sql: string, index: number): string {
  return `      if v_version < ${index + 1} then
        execute ${dollarQuote(sql, 'step')};
      end if;
`;
}

/** Views may depend on functions: they are dropped with any function, and created after all of them. */
function replaceRoutines(schema: string): string {
  const namespace = `to_regnamespace(${quoteText(quoteName(schema))})`;
  return `
      select jsonb_object_agg(concat(kind[1], ' ', kind[2]), case kind[1] when 'view' then d else split_part(d, ' as $', 1) end)
      into v_heads
      from unnest(v_definitions) as d, regexp_match(d, '^create or replace (function|view) ([a-z0-9_]+)') as kind;
      v_outdated := array (select key from jsonb_each_text(v_created) where v_heads ->> key is distinct from value);
      if exists (select from unnest(v_outdated) as outdated where outdated like 'function %') then
        v_outdated := array (select key from jsonb_object_keys(v_created) as key
          where key = any (v_outdated) or key like 'view %' order by key desc);
      end if;
      v_grants := array (
        with former as (
          select concat('function ', proname) as name, concat('function ', proname) as object, proacl as acl
          from pg_proc where pronamespace = ${namespace}
          union all select concat('view ', relname), concat('table ', relname), relacl
          from pg_class where relnamespace = ${namespace} and relkind = 'v'
        ), lost as (
          select object, acl from former where name = any (v_outdated) and v_heads ? name and acl is not null
        )
        select concat('revoke all on ', object, ' from public') from lost
        union all
        select concat('grant ', privilege_type, ' on ', object, ' to ',
          case grantee when 0 then 'public' else grantee::regrole::text end, case when is_grantable then ' with grant option' end)
        from lost, aclexplode(acl));
      foreach v_text in array v_outdated loop
        execute concat('drop ', replace(v_text, ' ', ' if exists '));
      end loop;
      foreach v_text in array v_definitions loop
        continue when v_text like 'create or replace view %' and to_regclass(split_part(v_text, ' ', 5)) is not null;
        execute v_text;
      end loop;
      foreach v_text in array v_grants loop
        execute v_text;
      end loop;`;
}

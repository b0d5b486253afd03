import { shellOption } from '@retry/core/broker/kit';
import type { SqlClient } from '../../driver/sql-client.ts';
import { readRows } from '../../driver/sql-client.ts';
import { PostgresBrokerError } from '../../errors.ts';
import { DEFAULT_SCHEMA } from '../../options.ts';
import { MIGRATIONS, quoteName } from '../migrations.ts';

/**
 * Checks that the functions of a schema answer the calls of this package. During a rolling upgrade the schema may be
 * newer, as long as it still serves this version.
 *
 * @throws {PostgresBrokerError} `OLDER_SCHEMA` or `NEWER_SCHEMA`
 */
export async function checkVersion(client: SqlClient, schema: string): Promise<void> {
  const needed = MIGRATIONS.length;
  const { version, servesFrom } = await readVersion(client, schema);
  if (version >= needed && servesFrom <= needed) return;
  const isOlder = version < needed;
  const cure = isOlder ? migrationCure(schema) : 'Upgrade @retry/postgres.';
  const seen =
    version === 0
      ? await whatThereIs(client, schema)
      : `the schema ${schema} has version ${version}, but this package needs version ${needed}.`;
  const message = `${seen} ${cure}`;
  throw new PostgresBrokerError(isOlder ? 'OLDER_SCHEMA' : 'NEWER_SCHEMA', message);
}

/** Says that a schema has no queue, and which others of the database have one: its name may be mistyped. */
async function whatThereIs(client: SqlClient, schema: string): Promise<string> {
  const [{ names }] = readRows(
    await client.query(
      `select string_agg(name, ', ') as names from (
        select n.nspname::text as name from pg_catalog.pg_class c
          join pg_catalog.pg_namespace n on n.oid = c.relnamespace
          join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'serves_from'
          where c.relname = 'schema_version' order by 1 limit 20) found`,
    ),
  );
  const others = names === null ? 'no schema of this database has one' : `there is one in ${names}`;
  return `the schema ${schema} has no queue, ${others}.`;
}

function migrationCure(schema: string): string {
  const [flag, option] =
    schema === DEFAULT_SCHEMA
      ? ['', '']
      : [` ${shellOption('schema', schema)}`, `, { schema: ${JSON.stringify(schema)} }`];
  return `Call migrate(client${option}) first, or run retry migrate${flag}.`;
}

interface SchemaVersion {
  readonly version: number;
  readonly servesFrom: number;
}

async function readVersion(client: SqlClient, schema: string): Promise<SchemaVersion> {
  const name = `${quoteName(schema)}.schema_version`;
  // Other programs have tables of this name, too.
  const [found] = readRows(
    await client.query(
      `select exists (select from pg_catalog.pg_attribute
        where attrelid = to_regclass($1::text) and attname = 'serves_from')::text as exists`,
      [name],
    ),
  );
  if (found['exists'] !== 'true') return { version: 0, servesFrom: 0 };
  // One row that a migration keeps.
  const [kept] = readRows(await client.query(`select version, serves_from as "servesFrom" from ${name}`));
  return { version: Number(kept['version']), servesFrom: Number(kept['servesFrom']) };
}

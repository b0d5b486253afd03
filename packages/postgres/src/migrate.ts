import type { SqlClient } from './driver/sql-client.ts';
import { PostgresBrokerError } from './errors.ts';
import { checkClient, readMigrateOptions } from './options.ts';
import { dollarQuote, lockOf, MIGRATIONS, migrationFor, quoteName, quoteText } from './schema/migrations.ts';

/** Which schema is meant. */
export interface MigrateOptions {
  /** Its name: 1 to 50 bytes, without `$`, backslashes and control characters. @default 'retry' */
  readonly schema?: string | undefined;
}

/** What our own refusals are told apart by: a class that Postgres leaves to its users. */
const NEWER = 'RT001';

/**
 * Brings the schema to the version of this package: one statement under an advisory lock, so safe to call from every
 * process at its start, with workers running, and again.
 *
 * @returns the version that the schema has now
 * @throws {PostgresBrokerError} `NEWER_SCHEMA` when a newer version of this package has been here
 * @throws {InvalidOptionsError} for what is no client, and for wrong options
 */
export async function migrate(client: SqlClient, options: MigrateOptions = {}): Promise<number> {
  checkClient(client);
  const sql = migrationSql(options);
  try {
    await client.query(sql);
    return MIGRATIONS.length;
  } catch (error) {
    const isNewer = error instanceof Error && 'code' in error && error.code === NEWER;
    throw isNewer ? new PostgresBrokerError('NEWER_SCHEMA', error.message, { cause: error }) : error;
  }
}

/**
 * The whole migration as one statement of SQL, to be read or run by hand; it may be run again.
 *
 * @throws {InvalidOptionsError} for a name that is none
 */
export function migrationSql(options: MigrateOptions = {}): string {
  return writeMigration(readMigrateOptions(options).schema, MIGRATIONS);
}

/** A migration by these steps, oldest first. */
export function writeMigration(schema: string, steps: readonly string[]): string {
  const name = quoteName(schema);
  const version = steps.length;
  const texts = steps.map((step, index) => stepOf(migrationFor(step, schema), index));
  const body = `
declare
  v_version integer := 0;
  v_path text := current_setting('search_path');
begin
  perform pg_advisory_xact_lock(${lockOf(schema)}, 0);
  if to_regclass(${quoteText(`${name}.schema_version`)}) is null then
    if to_regnamespace(${quoteText(name)}) is null then
      create schema ${name};
    end if;
    create table ${name}.schema_version (version integer not null);
    insert into ${name}.schema_version values (0);
  end if;
  select version into v_version from ${name}.schema_version;
  if v_version > ${version} then
    raise exception 'the schema % has version %, but this package knows versions up to ${version}. Upgrade @retry/postgres.',
      ${quoteText(schema)}, v_version using errcode = '${NEWER}';
  end if;
  perform set_config('search_path', ${quoteText(`${name}, pg_temp`)}, true);
${texts.join('')}  perform set_config('search_path', v_path, true);
end
`;
  return `do ${dollarQuote(body, 'migrate')}`;
}

function stepOf(sql: string, index: number): string {
  return `  if v_version < ${index + 1} then
    execute ${dollarQuote(sql, 'step')};
    update schema_version set version = ${index + 1};
  end if;
`;
}

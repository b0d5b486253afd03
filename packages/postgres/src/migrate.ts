import type { SqlClient } from './driver/sql-client.ts';
import { PostgresBrokerError } from './errors.ts';
import { checkClient, readMigrateOptions } from './options.ts';
import { NEWER, writeMigration } from './schema/migrations/write-migration.ts';
import { BUILD, MIGRATIONS } from './schema/migrations.ts';

/** Options of a migration. */
export interface MigrateOptions {
  /** The name of the schema: 1 to 50 bytes, without `$`, backslashes and control characters. @default 'retry' */
  readonly schema?: string | undefined;
}

/**
 * Brings the schema to the version of this package: one statement under an advisory lock. Calling it again, from many
 * processes at the same time, and while workers run is safe.
 *
 * @returns the version that the schema now has
 * @throws {PostgresBrokerError} `NEWER_SCHEMA` when a newer version of this package has migrated the schema
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
 * Returns the whole migration as one statement of SQL, to be read, or run by hand. It may be run again.
 *
 * @throws {InvalidOptionsError} for a name that no schema may have
 */
export function migrationSql(options: MigrateOptions = {}): string {
  return writeMigration(readMigrateOptions(options).schema, BUILD);
}

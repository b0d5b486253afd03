import { sqlStateOf } from './driver/refusal.ts';
import type { SqlClient } from './driver/sql-client.ts';
import { checkClient, readMigrateOptions } from './options.ts';
import { migrationError } from './schema/migrations/migration-error.ts';
import { writeMigration } from './schema/migrations/write-migration.ts';
import { BUILD, MIGRATIONS } from './schema/migrations.ts';

/** Options of a migration. */
export interface MigrateOptions {
  /** The name of the schema: 1 to 50 bytes, without `$`, backslashes and control characters. @default 'retry' */
  readonly schema?: string | undefined;
}

/** How often a migration is sent whose transaction does not see what another migration has done meanwhile. */
const MAX_SENT = 10;

/**
 * Brings the schema to the version of this package: one statement under an advisory lock. Calling it again, from many
 * processes at the same time, and while workers run is safe. What fails has changed nothing.
 *
 * @returns the version that the schema now has
 * @throws {PostgresBrokerError} `NEWER_SCHEMA` when a newer version of this package has migrated the schema; `BLOCKED_MIGRATION` where
 *   something of others is in the way, `MISSING_RIGHTS`, `READ_ONLY_SERVER`, `POSTGRES_UNREACHABLE`
 * @throws {InvalidOptionsError} for what is no client, and for wrong options
 */
export async function migrate(client: SqlClient, options: MigrateOptions = {}): Promise<number> {
  checkClient(client);
  const { schema } = readMigrateOptions(options);
  const sql = writeMigration(schema, BUILD);
  let first: unknown;
  for (let sent = 1; sent <= MAX_SENT; sent += 1) {
    try {
      await client.query(sql);
      return MIGRATIONS.length;
    } catch (error) {
      first ??= error;
      // In a transaction of the caller's it would only be refused.
      if (sqlStateOf(error) !== SERIALIZATION_FAILURE) break;
    }
  }
  throw migrationError(first, schema);
}

const SERIALIZATION_FAILURE = '40001';

/**
 * Returns the whole migration as one statement of SQL, to be read, or run by hand. It may be run again.
 *
 * @throws {InvalidOptionsError} for a name that no schema may have
 */
export function migrationSql(options: MigrateOptions = {}): string {
  return writeMigration(readMigrateOptions(options).schema, BUILD);
}

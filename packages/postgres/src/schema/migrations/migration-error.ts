import { readOnlyServer, unreachableServer } from '../../driver/check-server.ts';
import { sqlStateOf } from '../../driver/refusal.ts';
import { PostgresBrokerError } from '../../errors.ts';
import { BLOCKED } from './carry-over.ts';
import { NEWER } from './write-migration.ts';

/** Returns what is said of a migration that failed: with its schema and the cure, where one is known. Nothing was changed. */
export function migrationError(error: unknown, schema: string): unknown {
  if (!(error instanceof Error)) return error;
  const options = { cause: error };
  const said = (cure: string): string =>
    `the schema ${schema} was not migrated, and is unchanged: ${error.message}${detailOf(error)}${cure}`;
  const state = sqlStateOf(error);
  if (state === NEWER) return new PostgresBrokerError('NEWER_SCHEMA', error.message, options);
  if (state === INSUFFICIENT_PRIVILEGE)
    return new PostgresBrokerError('MISSING_RIGHTS', said(RIGHTS_CURE), options);
  if (state === READ_ONLY_TRANSACTION) return readOnlyServer(options);
  const cure = BLOCKED_CURES.find(([blocked]) => blocked === state)?.[1];
  if (cure !== undefined) return new PostgresBrokerError('BLOCKED_MIGRATION', said(cure), options);
  return unreachableServer(error) ?? error;
}

const INSUFFICIENT_PRIVILEGE = '42501';
const READ_ONLY_TRANSACTION = '25006';

const RIGHTS_CURE =
  '. Migrate as the role that owns the schema, or as one that may become it; where there is no schema yet, as one that may create it.';

const NOT_OURS = '. Rename what is not of @retry/postgres, or use another schema.';

/** What to do where something of others is in the way, by SQLSTATE: objects that depend on ours, tables and types of the same name. */
const BLOCKED_CURES: readonly (readonly [state: string, cure: string])[] = [
  [BLOCKED, ''],
  ['2BP01', '. Drop what depends on it, migrate, and create it again.'],
  ['42P07', NOT_OURS],
  ['42710', NOT_OURS],
];

/** What Postgres says besides, as which views depend on it. */
function detailOf(error: Error): string {
  return 'detail' in error && typeof error.detail === 'string' && error.detail !== ''
    ? `: ${error.detail.replaceAll('\n', '; ')}`
    : '';
}

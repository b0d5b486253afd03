import type { SqlClient } from '../sql-client.ts';
import { isPgPool } from './users-client.ts';

/** Options of a pool of `pg` that change nothing about what its connections are connected to, and as whom. */
const OPTIONS_OF_POOL: ReadonlySet<PropertyKey> = new Set([
  ...['connectionString', 'max', 'min', 'poolSize', 'maxUses', 'maxLifetimeSeconds', 'idleTimeoutMillis'],
  ...['connectionTimeoutMillis', 'allowExitOnIdle', 'application_name', 'fallback_application_name', 'log'],
  ...['keepAlive', 'keepAliveInitialDelayMillis', 'statement_timeout', 'query_timeout', 'lock_timeout'],
  ...['idle_in_transaction_session_timeout', 'Promise', 'onConnect', 'verify'],
]);

/**
 * Returns the connection string of a user's pool, if that alone says how it connects: another thread can connect by it, too. A
 * password, a certificate or a host that are options of their own say more.
 */
export function urlOfClient(client: SqlClient): string | undefined {
  if (!isPgPool(client) || !('options' in client)) return undefined;
  const { options } = client;
  if (typeof options !== 'object' || options === null || !('connectionString' in options)) return undefined;
  const isAll = Reflect.ownKeys(options).every((key) => OPTIONS_OF_POOL.has(key));
  return isAll && typeof options.connectionString === 'string' ? options.connectionString : undefined;
}

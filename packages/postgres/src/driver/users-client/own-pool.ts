import type { SqlClient } from '../sql-client.ts';
import type { PgPool } from './users-client.ts';
import { isPgPool } from './users-client.ts';

/** A pool of one connection that only the broker uses. */
export interface OwnPool extends PgPool {
  readonly end: () => Promise<void>;
}

interface OwnPoolOptions {
  /** How long a connection may take to come about, in ms. */
  readonly connectTimeoutMs: number;
  /** After how long without a statement its connection is closed, in ms. */
  readonly idleTimeoutMs: number;
}

/** The parts of a pool of `pg` that make another one of it. */
interface PoolSource extends PgPool {
  readonly options: { readonly max?: number; readonly password?: unknown };
  readonly Client: unknown;
  readonly emit: (event: 'connect', client: unknown) => unknown;
}

type PoolClass = new (
  options: object,
) => OwnPool & {
  readonly on: (event: 'connect' | 'error', listener: (value: unknown) => void) => unknown;
};

/**
 * Makes a pool of one connection of a user's pool of `pg`: it connects by the same options and the same class of clients, and the
 * `connect` listeners of the user's pool prepare its sessions, too. It connects at its first statement, and keeps no process alive.
 *
 * @returns `undefined` where the client is no such pool
 */
export function openOwnPool(client: SqlClient, options: OwnPoolOptions): OwnPool | undefined {
  if (!isPoolSource(client)) return undefined;
  const Pool = poolClassOf(client);
  if (Pool === undefined) return undefined;
  const own = new Pool({
    ...client.options,
    password: client.options.password, // not enumerable, so that it is not printed
    Client: client.Client,
    ...{ max: 1, min: 0, allowExitOnIdle: true },
    connectionTimeoutMillis: options.connectTimeoutMs,
    idleTimeoutMillis: options.idleTimeoutMs,
  });
  own.on('connect', (connected) => client.emit('connect', connected));
  own.on('error', () => {}); // a connection that breaks is replaced when it is needed
  return own;
}

/** Whether {@link openOwnPool} makes a pool of this client. */
export function hasOwnPool(client: SqlClient): boolean {
  return isPoolSource(client) && poolClassOf(client) !== undefined;
}

function isPoolSource(client: SqlClient): client is PoolSource {
  if (!isPgPool(client)) return false;
  const { options, Client, emit } = client as Partial<PoolSource>;
  const isComplete = typeof Client === 'function' && typeof emit === 'function';
  return isComplete && typeof options === 'object' && options !== null;
}

/** Returns the class of `pg-pool`. One that a user derived from it may have a constructor of another kind. */
function poolClassOf(pool: PoolSource): PoolClass | undefined {
  let found: PoolClass | undefined;
  for (let type = Object.getPrototypeOf(pool); type !== null; type = Object.getPrototypeOf(type))
    if (Object.hasOwn(type, 'connect') && Object.hasOwn(type, 'end')) found = type.constructor;
  return found;
}

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

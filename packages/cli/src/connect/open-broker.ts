import type { Broker } from '@retry/core/broker';
import { shellOption } from '@retry/core/broker/kit';
import type { SqlClient } from '@retry/postgres';
import { CliError } from '../errors.ts';
import { loadPackage } from './load-package.ts';
import type { Target } from './target.ts';
import { isPgliteFolder } from './target.ts';

/** A broker that is open, and what closes it. */
export interface OpenBroker {
  readonly broker: Broker;
  /** Rejects when a connection fails: the broker itself goes on trying. */
  readonly failed?: Promise<never>;
  readonly close: () => Promise<void>;
}

/** A database that is open: what SQL is sent through, and what closes it. */
interface OpenDatabase {
  readonly client: SqlClient;
  readonly close: () => Promise<void>;
}

/** Opens the broker of a server; its packages are loaded now. @throws {CliError} `NO_PACKAGE` */
export async function openBroker(target: Target, cwd: string): Promise<OpenBroker> {
  const { type, address, schema } = target;
  switch (type) {
    case 'redis':
      return openRedis(target, cwd);
    case 'postgres': {
      const { createPostgresBroker } = await loadPostgres(cwd);
      const broker = createPostgresBroker({ url: address, schema, connections: 2, listen: false });
      return { broker, close: () => broker.close() };
    }
    case 'pglite': {
      const [{ createPostgresBroker }, { client, close }] = [
        await loadPostgres(cwd),
        await openDatabase(target, cwd),
      ];
      const broker = createPostgresBroker({ client, schema, listen: false });
      return { broker, close: () => broker.close().then(close) };
    }
  }
}

async function openRedis({ address, prefix, partitions }: Target, cwd: string): Promise<OpenBroker> {
  const { createRedisBroker } = await loadPackage<typeof import('@retry/redis-queue')>(
    '@retry/redis-queue',
    cwd,
  );
  let onError: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    onError = reject;
  });
  failed.catch(() => {}); // a connection that is lost later is no news
  // It looks at what is there: a server that may evict runs is a finding of `doctor`, and no reason to refuse.
  const broker = createRedisBroker({ url: address, prefix, partitions, allowEviction: true, onError });
  return { broker, failed, close: () => broker.close() };
}

/**
 * Opens a Postgres database, or a PGlite folder, for SQL.
 *
 * @param mayCreate - whether PGlite may make a database in the folder; `migrate` alone does
 * @throws {CliError} `NO_PACKAGE`; `SERVER_UNREACHABLE` for a folder without a database
 */
export async function openDatabase(
  { type, address, shown, source }: Target,
  cwd: string,
  { mayCreate = false }: { readonly mayCreate?: boolean } = {},
): Promise<OpenDatabase> {
  if (type === 'pglite') {
    if (!mayCreate && !isPgliteFolder(address)) {
      const migrate = source === '--url' ? `retry migrate ${shellOption('url', shown)}` : 'retry migrate';
      const message = `${shown} was not reached: ${address} has no database. Correct ${source}, or run ${migrate}.`;
      throw new CliError('SERVER_UNREACHABLE', message);
    }
    const { PGlite } = await loadPackage<typeof import('@electric-sql/pglite')>('@electric-sql/pglite', cwd);
    const client = await PGlite.create(address);
    return { client, close: () => client.close() };
  }
  const { default: pg } = await loadPackage<typeof import('pg')>('pg', cwd);
  const pool = new pg.Pool({
    connectionString: address,
    // One more than a call needs, for `doctor`, whose notifications go from one to the other.
    max: 2,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  pool.on('error', () => {});
  return { client: pool, close: () => pool.end() };
}

/** How long a server may take to answer for the first time, in ms. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** Loads the package for Postgres. @throws {CliError} `NO_PACKAGE` */
export function loadPostgres(cwd: string): Promise<typeof import('@retry/postgres')> {
  return loadPackage<typeof import('@retry/postgres')>('@retry/postgres', cwd);
}

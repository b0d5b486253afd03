import { Socket } from 'node:net';
import { closedError, hideSecretsInError, secretsOf } from '@retry/core/broker/kit';
import { PostgresBrokerError } from '../errors.ts';
import type { PoolLike } from '../wake/subscription.ts';
import { isReadCommitted, keepConnections, readCommitted, readSession, SESSION } from './lent/with-lent.ts';
import type { NamingClient } from './prepared.ts';
import { prepareStatements, sendAsChosen } from './prepared.ts';
import type { SqlClient } from './sql-client.ts';

type Pg = typeof import('pg');

/** The part of the driver `pg` that is used; without `Client` it waits for a connection as long as it does by itself. */
export type PgDriver = Pick<Pg, 'Pool'> & Partial<Pick<Pg, 'Client'>>;

/** A pool that is opened when it is first needed. */
interface LazyPool extends SqlClient, PoolLike {
  /**
   * Ends the connections. Calls that are not answered within some seconds reject.
   *
   * @param isQuiet - `false`: they had these seconds already
   */
  readonly close: (isQuiet?: boolean) => Promise<void>;
}

/**
 * Opens a pool of the driver `pg` when it is first needed. No error of it shows the password of the URL.
 *
 * @param connections - how many calls it serves at the same time, besides a connection for notifications
 * @param onError - called with errors of connections that no call was using
 */
export function openPool(
  url: string,
  connections: number,
  onError: (error: unknown) => void = () => {},
  load: () => Promise<PgDriver> = loadPg,
): LazyPool {
  const secrets = secretsOf(url);
  let isCut = false;
  const throwSafely = (error: unknown): never => {
    throw isCut ? closedError('Postgres') : hideSecretsInError(error, secrets);
  };
  let opening: Promise<OwnPool> | undefined;
  const open = (): Promise<OwnPool> => {
    opening ??= load().then((pg) =>
      createPool(pg, { url, connections }, (error) => onError(hideSecretsInError(error, secrets))),
    );
    return opening;
  };
  const client = sendAsChosen(async () => chooseSender(await open()));
  return {
    totalCount: connections,
    query: (text, values) => client.query(text, values).catch(throwSafely),
    connect: () =>
      open()
        .then((pool) => pool.connect())
        .catch(throwSafely),
    close: async (isQuiet = true) => {
      // Where there is no driver, every call has said so, and nothing was opened.
      const pool = await opening?.catch(() => undefined);
      if (pool === undefined) return;
      const ended = pool.end();
      if (isQuiet && (await withinTimeout(ended))) return;
      isCut = true;
      pool.cut();
    },
  };
}

/** Chooses how statements are sent: a role or a database may have another default isolation level than claims need. */
async function chooseSender(pool: OwnPool): Promise<SqlClient> {
  const session = readSession(await pool.query(SESSION));
  return isReadCommitted(session) ? prepareStatements(keepConnections(pool)) : readCommitted(pool);
}

interface OwnPool extends PoolLike, NamingClient {
  readonly end: () => Promise<void>;
  /** Breaks the connections that do not end, also those that are still being opened. */
  readonly cut: () => void;
}

function createPool(
  pg: PgDriver,
  { url, connections }: { readonly url: string; readonly connections: number },
  onError: (error: Error) => void,
): OwnPool {
  const sockets = new Set<Socket>();
  const stream = (): Socket => {
    const socket = new Socket();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    return socket;
  };
  // One more than the calls need, for notifications.
  const max = connections + 1;
  const clients = pg.Client && { Client: inTime(pg.Client, connectTimeoutOf(url)) };
  const pool = new pg.Pool({ connectionString: url, max, keepAlive: true, stream, ...clients });
  // A connection that breaks while no call uses it is replaced when it is needed.
  pool.on('error', onError);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return Object.assign(pool as PoolLike & NamingClient & Pick<OwnPool, 'end'>, { cut });
}

/** How long a server may take to accept a connection and its credentials, in seconds. */
const CONNECT_TIMEOUT_S = 10;

/** Returns milliseconds: the `connect_timeout` of a URL, which is in seconds as in `libpq`; the driver does not read it. */
function connectTimeoutOf(url: string): number {
  const seconds = Number(/[?&]connect_timeout=(\d+)/.exec(url)?.[1] ?? CONNECT_TIMEOUT_S);
  return seconds * 1_000;
}

/**
 * Returns clients that give a connection up that is not ready in time: by itself the driver waits for a silent server forever. A pool
 * with that option would also reject calls that wait for a connection while all are in use.
 */
function inTime(Client: Pg['Client'], connectionTimeoutMillis: number): Pg['Client'] {
  return class extends Client {
    constructor(config?: ConstructorParameters<typeof Client>[0]) {
      super(typeof config === 'string' ? config : { ...config, connectionTimeoutMillis });
    }
  };
}

async function loadPg(): Promise<PgDriver> {
  try {
    return (await import('pg')).default;
  } catch (cause) {
    const message =
      'A url needs the package pg, which is not installed. Run npm install pg, or pass a client.';
    throw new PostgresBrokerError('NO_DRIVER', message, { cause });
  }
}

/** How long closing waits for answers that may never come, in ms; the other brokers wait as long. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Waits for work, but not longer than closing may take. @returns whether it has ended */
export async function withinTimeout(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CLOSE_TIMEOUT_MS);
  });
  return Promise.race([work.then(() => true), timeout]).finally(() => clearTimeout(timer));
}

import type { Modules } from './installed.ts';

/** Where a driver connects to. */
export interface Server {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** Runs a query on the one connection that was opened. */
type Query = (text: string) => Promise<unknown>;

/** Opens a connection, lets `use` query on it, and closes it. */
export type Driver = (
  module: Modules,
  server: Server,
  use: (query: Query) => Promise<unknown>,
) => Promise<unknown>;

/** Closes the connection whatever happened, and fails only with what the use of it failed with. */
async function closing(use: Promise<unknown>, close: () => unknown): Promise<unknown> {
  try {
    return await use;
  } finally {
    await Promise.resolve(close()).catch(() => {});
  }
}

const ignore = (): void => {};

/** Drivers of Postgres, each with one connection. */
export const POSTGRES_DRIVERS: Readonly<Record<string, Driver>> = {
  pg: async ({ default: { Client } }, server, use) => {
    const client = new Client(server);
    client.on('error', ignore);
    await client.connect();
    return closing(
      use((text) => client.query(text)),
      () => client.end(),
    );
  },
  postgres: async ({ default: postgres }, server, use) => {
    const sql = postgres({ ...server, max: 1, onnotice: ignore });
    const reserved = await sql
      .reserve()
      .catch((error: unknown) => closing(Promise.reject(error), () => sql.end()));
    return closing(
      use((text) => reserved.unsafe(text)),
      () => sql.end({ timeout: 0 }),
    );
  },
  'pg-promise': async ({ default: pgPromise }, server, use) => {
    const pgp = pgPromise({ noWarnings: true });
    const connection = await pgp(server).connect({ direct: true, onLost: ignore });
    return closing(
      use((text) => connection.any(text)),
      () => connection.done(),
    );
  },
  slonik: async ({ createPool, sql }, { user, host, port, database }, use) => {
    const pool = await createPool(`postgres://${user}@${host}:${port}/${database}`, {
      connectionRetryLimit: 0,
      queryRetryLimit: 0,
    });
    const queryOf = (text: string): unknown =>
      sql.unsafe(Object.freeze(Object.assign([text], { raw: Object.freeze([text]) })));
    return closing(
      pool.connect(({ query }: Modules) => use((text) => query(queryOf(text)))),
      () => pool.end(),
    );
  },
  knex: async ({ default: knex }, connection, use) => {
    const db = knex({
      client: 'pg',
      connection,
      pool: { min: 0, max: 1 },
      log: { error: ignore, warn: ignore },
    });
    return closing(
      use((text) => db.raw(text).then()),
      () => db.destroy(),
    );
  },
};

/** Drivers of MySQL and MariaDB, each with one connection. */
export const MYSQL_DRIVERS: Readonly<Record<string, Driver>> = {
  mysql2: async ({ createConnection }, server, use) => {
    const connection = await createConnection(server);
    connection.on('error', ignore);
    return closing(
      use((text) => connection.query(text)),
      () => connection.end(),
    );
  },
  mariadb: async ({ default: { createConnection } }, server, use) => {
    const connection = await createConnection(server);
    connection.on('error', ignore);
    return closing(
      use((text) => connection.query(text)),
      () => connection.end(),
    );
  },
  mysql: async ({ default: { createConnection } }, server, use) => {
    const connection = createConnection(server);
    connection.on('error', ignore);
    const query: Query = (text) =>
      new Promise((resolve, reject) => {
        connection.query(text, (error: unknown, rows: unknown) => (error ? reject(error) : resolve(rows)));
      });
    return closing(use(query), () => connection.destroy());
  },
};

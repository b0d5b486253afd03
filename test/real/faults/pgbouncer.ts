import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgresFolder, startPrivatePostgres } from '../../support/servers/postgres.ts';
import { findBinary, findFreePort, runServer, untilAnswered } from '../../support/servers/run-server.ts';
import { load, versioned } from '../installed.ts';
import { type Driver, POSTGRES_DRIVERS, type Server } from '../live-drivers.ts';
import { checkScenes, type Scene, versionOf } from './scenes.ts';

type Use = Parameters<Driver>[2];

interface Given {
  /** Opens a connection through PgBouncer, to one of its databases. */
  readonly open: (use: Use, database?: string) => Promise<unknown>;
  /** Ends what the server does for a statement. */
  readonly terminate: (statement: string) => Promise<unknown>;
  readonly kill: () => Promise<void>;
}

/** Drivers that leave a rejection or an event unhandled when PgBouncer ends their connection. */
const ENDING = ['postgres', 'slonik'];
const CLIENTS = 3;
const SLEEP = 'select pg_sleep(5)';

/** Opens a connection inside of so many others. */
function inside(clients: number, open: Given['open']): Promise<unknown> {
  return open(async (query) => {
    await query('select 1');
    if (clients > 0) await inside(clients - 1, open);
  });
}

/** Does something while a statement is under way. */
function during({ open }: Given, work: () => Promise<unknown>): Promise<unknown> {
  return open(async (query) => {
    const asked = query(SLEEP);
    asked.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 500));
    await work();
    return asked;
  });
}

/** What https://www.pgbouncer.org/config.html says. PgBouncer ends in the last scene. */
const SCENES: Readonly<Record<string, Scene<Given>>> = {
  'query_wait_timeout, no connection is free': {
    kind: 'not applied',
    says: /query_wait_timeout/,
    happen: ({ open }) =>
      open(async (query) => {
        await query('begin');
        await query('select 1');
        return open((other) => other('select 1'));
      }),
  },
  'query_wait_timeout, the server is down': {
    kind: 'not applied',
    says: /query_wait_timeout/,
    happen: ({ open }) => open((query) => query('select 1'), 'down'),
  },
  max_client_conn: {
    kind: 'not applied',
    says: /max_client_conn/,
    happen: ({ open }) => inside(CLIENTS, open),
  },
  'a connection of the server that is ended': {
    kind: 'ambiguous',
    says: /57P01/,
    happen: (given) => during(given, () => given.terminate(SLEEP)),
  },
  'a database that PgBouncer has not': {
    kind: 'permanent',
    says: /no such database/,
    happen: ({ open }) => open((query) => query('select 1'), 'nowhere'),
  },
  'a database that the server has not': {
    kind: 'permanent',
    says: /does not exist/,
    happen: ({ open }) => open((query) => query('select 1'), 'missing'),
  },
  'PgBouncer is killed while a statement is under way': {
    kind: 'ambiguous',
    happen: (given) => during(given, given.kill),
  },
};

async function configuration(port: number, serverPort: number, users: string): Promise<string> {
  const server = `host=127.0.0.1 port=${serverPort} user=postgres`;
  return `
    [databases]
    postgres = ${server} dbname=postgres
    missing = ${server} dbname=missing
    down = host=127.0.0.1 port=${await findFreePort()} user=postgres
    [pgbouncer]
    listen_addr = 127.0.0.1
    listen_port = ${port}
    unix_socket_dir =
    auth_type = trust
    auth_file = ${users}
    pool_mode = transaction
    default_pool_size = 1
    max_client_conn = ${CLIENTS}
    query_wait_timeout = 1
    ignore_startup_parameters = extra_float_digits, statement_timeout, idle_in_transaction_session_timeout
  `.replaceAll(/^ +/gm, '');
}

/** A private PgBouncer in front of a private Postgres, through three drivers. */
export async function checkPgbouncer(): Promise<void> {
  const binary = findBinary('pgbouncer', ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']);
  if (binary === undefined || findPostgresFolder() === undefined)
    return console.log(`PgBouncer: not run, there is no ${binary ? 'postgres' : 'pgbouncer'} here`);
  const postgres = await startPrivatePostgres();
  const folder = mkdtempSync(join(tmpdir(), 'retry-pgbouncer-'));
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  chmodSync(folder, 0o755);
  const users = join(folder, 'users');
  writeFileSync(users, '"postgres" ""');
  const direct = { host: '127.0.0.1', user: 'postgres', database: 'postgres' } as const;
  const serverPort = Number(new URL(postgres.url).port);
  try {
    console.log(
      `${ENDING.join(', ')} on PgBouncer: not run, an error that nothing here can catch would end this`,
    );
    for (const [name, driver] of Object.entries(POSTGRES_DRIVERS)) {
      if (ENDING.includes(name)) continue;
      const module = await load(name);
      const port = await findFreePort();
      const file = join(folder, `${port}.ini`);
      writeFileSync(file, await configuration(port, serverPort, users));
      const bouncer = runServer(binary, [file], { cwd: folder, ...user });
      const kill = async (): Promise<void> => {
        bouncer.signal('SIGKILL');
        await bouncer.exited;
      };
      const at = (server: Server, use: Use): Promise<unknown> => driver(module, server, use);
      const given: Given = {
        open: (use, database = 'postgres') => at({ ...direct, port, database }, use),
        terminate: (statement) =>
          at({ ...direct, port: serverPort }, (query) =>
            query(`select pg_terminate_backend(pid) from pg_stat_activity where query = '${statement}'`),
          ),
        kill,
      };
      try {
        await untilAnswered(() => given.open((query) => query('select 1')));
        await checkScenes(`${versioned(name)} on PgBouncer ${versionOf(binary)}`, SCENES, given);
      } finally {
        await kill();
      }
    }
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

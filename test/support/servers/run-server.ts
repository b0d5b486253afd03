import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';

/** A server that this process started and that ends with it. */
export interface ServerProcess {
  readonly pid: number;
  /** Sends a signal to the server alone. */
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when it is gone. */
  readonly exited: Promise<void>;
  /** Its output so far. */
  readonly output: () => string;
}

/** Where a program is: on the PATH, or in one of the folders where packages put it. */
export function findBinary(name: string, folders: readonly string[] = []): string | undefined {
  const onPath = (process.env['PATH'] ?? '').split(delimiter);
  return [...onPath, ...folders].map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/**
 * The ports of test servers. Systems give outgoing connections ports from 32 768 on, so that none of those takes the port of a server
 * that is about to start, or that starts again; nor that of a cluster's bus, which is 10 000 higher.
 */
const PORTS = { first: 12_000, end: 22_000 } as const;

/** A free TCP port of this machine. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => void probe.close(() => resolve(true)));
  });
}

/** Starts a server program; it is killed at the latest when this process ends. */
export function runServer(
  binary: string,
  args: readonly string[],
  options: {
    readonly cwd: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly uid?: number;
    readonly gid?: number;
  },
): ServerProcess {
  const child = spawn(binary, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void said.push(chunk.toString()));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const exited = new Promise<void>((resolve) => {
    const onEnd = (): void => {
      process.removeListener('exit', kill);
      resolve();
    };
    child.once('exit', onEnd);
    child.once('error', onEnd);
  });
  return {
    pid: child.pid ?? 0,
    signal: (name) => void child.kill(name),
    exited,
    output: () => said.join(''),
  };
}

/** Asks until there is an answer, for at most 20 s. @throws what the last one failed with */
export async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (let left = 100; ; left -= 1) {
    try {
      await ask();
      return;
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

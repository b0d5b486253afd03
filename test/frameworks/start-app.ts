import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An application in a process of its own. */
export interface App {
  readonly url: string;
  /** What it has printed. */
  readonly output: () => string;
  /** Resolves once it has printed this. */
  readonly printed: (text: string) => Promise<void>;
  /** Sends SIGTERM; resolves with the exit status, or the signal, that ended it. */
  readonly terminate: () => Promise<number | string | null>;
  /** Ends it by force, if it has not ended. */
  readonly kill: () => void;
}

/** How a program of a framework is started. */
export interface Program {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts a program of Node that listens on `PORT`; resolves once it is ready. */
export async function startApp({ args, env, cwd }: Program): Promise<App> {
  const port = await freePort();
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const exited = once(child, 'exit') as Promise<[number | null, string | null]>;
  const url = `http://127.0.0.1:${port}`;
  const output = (): string => printed;
  await until(async () => (await statusOf(`${url}/ready`)) === 200, child, output);
  return {
    ...{ url, output },
    printed: (text) => until(async () => printed.includes(text), child, output),
    terminate: async () => {
      child.kill('SIGTERM');
      const [code, signal] = await exited;
      return code ?? signal;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/** Returns the status of a GET; `undefined` where nothing answers. */
export async function statusOf(url: string): Promise<number | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

async function until(isSo: () => Promise<boolean>, child: ChildProcess, output: () => string): Promise<void> {
  while (!(await isSo())) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`It has ended (${child.exitCode ?? child.signalCode}):\n${output()}`);
    await sleep(50);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  server.close();
  return port;
}

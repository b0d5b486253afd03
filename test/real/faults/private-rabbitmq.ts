import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, findFreePort, runServer, untilAnswered } from '../../support/servers/run-server.ts';

/** A RabbitMQ of our own: its node, its data and its port mapper are no other's. */
export interface PrivateRabbitmq {
  readonly port: number;
  /** Of its program's folder. */
  readonly version: string;
  /** Closes every connection as an operator does: CONNECTION_FORCED. */
  readonly closeConnections: () => void;
}

const DEBIAN = '/usr/lib/rabbitmq/lib';

/** The folder of the programs themselves: those on the PATH of Debian become another user first. */
function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'sbin'));
  return [...folders, '/opt/homebrew/sbin', '/usr/local/sbin'].find((folder) => {
    return existsSync(join(folder, 'rabbitmq-server'));
  });
}

/** Starts a private RabbitMQ in a temporary folder for as long as `work` runs; says so where there is none. */
export async function withRabbitmq(work: (server: PrivateRabbitmq) => Promise<void>): Promise<void> {
  const programs = findPrograms();
  const epmd = findBinary('epmd', ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']);
  if (programs === undefined || epmd === undefined)
    return console.log('RabbitMQ: not run, there is none here');
  const folder = mkdtempSync(join(tmpdir(), 'retry-rabbitmq-'));
  const [port, mapperPort] = [await findFreePort(), await findFreePort()];
  const env = await settings(folder, port, mapperPort);
  const mapper = runServer(epmd, ['-port', `${mapperPort}`, '-address', '127.0.0.1'], { cwd: folder });
  const server = runServer(join(programs, 'rabbitmq-server'), ['-noinput'], { cwd: folder, env });
  const control = (...args: readonly string[]): string =>
    execFileSync(join(programs, 'rabbitmqctl'), args, { env, encoding: 'utf8' });
  try {
    await untilAnswered(() => accepts(port));
    await work({
      port,
      version: control('--quiet', 'version').trim(),
      closeConnections: () => void control('--quiet', 'close_all_connections', 'an operator closes it'),
    });
  } finally {
    for (const one of [server, mapper]) {
      one.signal('SIGKILL');
      await one.exited;
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settings(folder: string, port: number, mapperPort: number): Promise<NodeJS.ProcessEnv> {
  const empty = join(folder, 'empty.conf');
  const plugins = join(folder, 'plugins');
  writeFileSync(empty, '');
  writeFileSync(plugins, '[].');
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: `${mapperPort}`,
    // The server is then the process itself, and not a child of a shell.
    RABBITMQ_ALLOW_INPUT: '1',
    RABBITMQ_CONF_ENV_FILE: empty,
    RABBITMQ_CONFIG_FILE: empty,
    RABBITMQ_DIST_PORT: `${await findFreePort()}`,
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_LOGS: '-',
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_NODENAME: `retry-${process.pid}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: `${port}`,
    RABBITMQ_PID_FILE: join(folder, 'pid'),
  };
}

function accepts(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });
}

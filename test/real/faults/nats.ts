import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, findFreePort, runServer, untilAnswered } from '../../support/servers/run-server.ts';
import { load, type Modules, versioned } from '../installed.ts';
import { checkScenes, type Scene, versionOf } from './scenes.ts';

interface Given {
  /** Opens a connection to the server, or to another port, lets `use` have it, and closes it. */
  readonly on: (use: (connection: Modules) => Promise<unknown>, other?: object) => Promise<unknown>;
  /** Publishes through JetStream. */
  readonly store: (connection: Modules) => Promise<unknown>;
  /** Asks JetStream about the account. */
  readonly manage: (connection: Modules) => Promise<unknown>;
  readonly stop: () => Promise<void>;
}

/** What https://docs.nats.io/reference/reference-protocols/nats-protocol says. The server ends in the last scene. */
const SCENES: Readonly<Record<string, Scene<Given>>> = {
  'no responders': {
    kind: 'not applied',
    says: /no responders|503/,
    happen: ({ on }) => on((connection) => connection.request('nobody', 'text')),
  },
  'a responder that does not answer in time': {
    kind: 'ambiguous',
    says: /timeout/i,
    happen: ({ on }) =>
      on((connection) => {
        connection.subscribe('silent');
        return connection.request('silent', 'text', { timeout: 200 });
      }),
  },
  // The server says no more where a stream is missing, and where it has no leader yet: clients of NATS repeat it themselves.
  'a publish that no stream takes': {
    kind: 'not applied',
    says: /no responders|503/,
    happen: ({ on, store }) => on((connection) => store(connection)),
  },
  // An operator has to enable it.
  'JetStream not enabled for account': {
    kind: 'permanent',
    says: /JetStream not enabled for account/,
    happen: ({ on, manage }) => on((connection) => manage(connection)),
  },
  'a payload that is too large': {
    kind: 'permanent',
    says: /payload/i,
    happen: ({ on }) => on(async (connection) => connection.publish('large', new Uint8Array(2_000_000))),
  },
  'a wrong password': {
    kind: 'permanent',
    says: /authorization/i,
    happen: ({ on }) => on(() => Promise.resolve(), { pass: 'wrong' }),
  },
  'a refused port': {
    kind: 'not applied',
    happen: async ({ on }) => on(() => Promise.resolve(), { port: await findFreePort() }),
  },
  'a connection that was closed before': {
    kind: 'permanent',
    says: /closed/i,
    happen: ({ on }) =>
      on(async (connection) => {
        await connection.close();
        return connection.request('nobody', 'text');
      }),
  },
  'killed while a request is under way': {
    kind: 'ambiguous',
    happen: ({ on, stop }) =>
      on(async (connection) => {
        connection.subscribe('silent');
        const asked = connection.request('silent', 'text', { timeout: 5_000 });
        asked.catch(() => {});
        await connection.flush();
        await stop();
        return asked;
      }),
  },
};

/** A server with JetStream, and a user whose account has none. */
function configuration(folder: string): string {
  return `
    jetstream { store_dir: "${folder}" }
    accounts {
      STORES { jetstream: enabled, users: [{ user: stores, password: right }] }
      REAL { users: [{ user: real, password: right }] }
    }`;
}

/** A private NATS through versions 3 and 2 of its client. */
export async function checkNats(): Promise<void> {
  const binary = findBinary('nats-server', ['/usr/sbin', '/usr/local/bin', '/opt/homebrew/bin']);
  if (binary === undefined) return console.log('NATS: not run, there is no nats-server here');
  const folder = mkdtempSync(join(tmpdir(), 'retry-nats-'));
  const file = join(folder, 'nats.conf');
  writeFileSync(file, configuration(folder));
  try {
    for (const name of ['@nats-io/transport-node', 'nats']) {
      const port = await findFreePort();
      const place = ['-a', '127.0.0.1', '-p', `${port}`, '-c', file];
      const server = runServer(binary, place, { cwd: folder });
      const stop = async (): Promise<void> => {
        server.signal('SIGKILL');
        await server.exited;
      };
      const given = await givenBy(name, port);
      try {
        await untilAnswered(() => given.on(() => Promise.resolve()));
        await checkScenes(`${versioned(name)} on NATS ${versionOf(binary)}`, SCENES, { ...given, stop });
      } finally {
        await stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a version of the client does at a port. */
async function givenBy(name: string, port: number): Promise<Omit<Given, 'stop'>> {
  const { connect } = await load(name);
  const { jetstream, jetstreamManager } = name === 'nats' ? VERSION_2 : await load('@nats-io/jetstream');
  const login = { port, user: 'real', pass: 'right', reconnect: false };
  return {
    on: async (use, other) => {
      const connection = await connect({ ...login, ...other });
      try {
        return await use(connection);
      } finally {
        await connection.close();
      }
    },
    store: (connection) => jetstream(connection).publish('stored', 'text'),
    manage: (connection) => jetstreamManager(connection),
  };
}

/** Version 2 has in its connection what version 3 has in a package of its own. */
const VERSION_2: Modules = {
  jetstream: (connection: Modules) => connection.jetstream(),
  jetstreamManager: (connection: Modules) => connection.jetstreamManager(),
};

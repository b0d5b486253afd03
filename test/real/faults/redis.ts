import { findRedisBinary, type PrivateRedis, startPrivateRedis } from '../../support/servers/redis.ts';
import { findFreePort } from '../../support/servers/run-server.ts';
import { load, type Modules, versioned } from '../installed.ts';
import { checkScenes, type Scene, versionOf, withSilent } from './scenes.ts';

/** Sends a command on the one connection that was opened. */
type Send = (...words: readonly string[]) => Promise<unknown>;

interface Driver {
  /** Opens a connection, lets `use` send commands on it, and closes it. */
  readonly open: (module: Modules, port: number, use: (send: Send) => Promise<unknown>) => Promise<unknown>;
  /** Scenes after which its error does not say that nothing was sent. */
  readonly untold: readonly string[];
}

const ignore = (): void => {};
const host = '127.0.0.1';
const LIMIT_MS = 3_000;

const DRIVERS: Readonly<Record<string, Driver>> = {
  redis: {
    open: async ({ createClient }, port, use) => {
      const client = createClient({
        socket: { host, port, socketTimeout: LIMIT_MS, reconnectStrategy: false },
      });
      client.on('error', ignore);
      try {
        await client.connect();
        return await use((...words) => client.sendCommand(words));
      } finally {
        if (client.isOpen) client.destroy();
      }
    },
    untold: [],
  },
  ioredis: {
    open: async ({ default: Redis }, port, use) => {
      const settings = { maxRetriesPerRequest: 0, enableReadyCheck: false, commandTimeout: LIMIT_MS };
      const client = new Redis({ host, port, ...settings });
      client.on('error', ignore);
      try {
        return await use((name = '', ...rest) => client.call(name, ...rest));
      } finally {
        client.disconnect();
      }
    },
    // MaxRetriesPerRequestError has no cause, and is the same for a command that was sent.
    untold: ['a refused port', 'max number of clients'],
  },
};

interface Given {
  readonly server: PrivateRedis;
  /** Opens a connection to the server, or to another port. */
  readonly on: (use: (send: Send) => Promise<unknown>, port?: number) => Promise<unknown>;
}

const later = (ms = 300): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends commands, one after the other, on one connection. */
function sending(...commands: readonly string[]) {
  return ({ on }: Given): Promise<unknown> =>
    on(async (send) => {
      for (const command of commands) await send(...command.split(' '));
    });
}

/** Changes a setting for as long as a command is sent. */
function under(before: string, commands: string | readonly string[], after: string) {
  return async (given: Given): Promise<unknown> => {
    await sending(before)(given);
    try {
      return await sending(...[commands].flat())(given);
    } finally {
      await sending(after)(given);
    }
  };
}

/** Sends a command while another connection is busy with one that does not end by itself. */
async function besides({ on }: Given, busy: readonly string[], use: (send: Send) => Promise<unknown>) {
  const ended = on((send) => send(...busy)).catch(ignore);
  try {
    return await on(async (send) => {
      await later();
      return use(send);
    });
  } finally {
    await on((send) => send('SCRIPT', 'KILL')).catch(ignore);
    await ended;
  }
}

/** Blocks in a command, and ends that from another connection. */
function blocked(end: (send: Send, id: string, given: Given) => Promise<unknown>) {
  return (given: Given): Promise<unknown> =>
    given.on(async (send) => {
      const id = String(await send('CLIENT', 'ID'));
      const waits = send('BLPOP', 'nothing', '0');
      waits.catch(ignore);
      await later(100);
      await given.on((other) => end(other, id, given));
      return waits;
    });
}

/** What Redis does and means: https://redis.io/docs/latest/develop/reference/protocol-spec and `redis.conf`. */
const SCENES: Readonly<Record<string, Scene<Given>>> = {
  // The command had begun: nothing says how far it came.
  'killed while a command is under way': {
    kind: 'ambiguous',
    happen: blocked(async (_, __, { server }) => server.restart('SIGKILL')),
  },
  'CLIENT KILL while a command is under way': {
    kind: 'ambiguous',
    happen: blocked((send, id) => send('CLIENT', 'KILL', 'ID', id)),
  },
  'CLIENT UNBLOCK ERROR': {
    kind: 'not applied',
    says: /UNBLOCKED/,
    happen: blocked((send, id) => send('CLIENT', 'UNBLOCK', id, 'ERROR')),
  },
  'an answer that does not come in time': {
    kind: 'ambiguous',
    happen: sending('BLPOP nothing 0'),
  },
  'a connection that breaks off while it begins': {
    kind: 'ambiguous',
    happen: ({ on }) => withSilent((port) => on((send) => send('GET', 'key'), port)),
  },
  'a refused port': {
    kind: 'not applied',
    happen: async ({ on }) => on((send) => send('GET', 'key'), await findFreePort()),
  },
  'LOADING the data set': {
    kind: 'not applied',
    says: /LOADING/,
    happen: async (given) => {
      await sending(
        'CONFIG SET key-load-delay 20000',
        'CONFIG SET loading-process-events-interval-bytes 1024',
      )(given);
      await given.on((send) =>
        send('EVAL', `for i = 1, 100 do redis.call('SET', i, string.rep('x', 500)) end`, '0'),
      );
      return besides(given, ['DEBUG', 'RELOAD'], (send) => send('SET', 'key', '1'));
    },
  },
  'BUSY with a script': {
    kind: 'not applied',
    says: /BUSY/,
    happen: (given) => besides(given, ['EVAL', 'while true do end', '0'], (send) => send('SET', 'key', '1')),
  },
  'READONLY replica': {
    kind: 'not applied',
    says: /READONLY/,
    happen: under('REPLICAOF 127.0.0.1 1', 'SET key 1', 'REPLICAOF NO ONE'),
  },
  'READONLY replica in a transaction': {
    kind: 'not applied',
    says: /READONLY/,
    happen: under('REPLICAOF 127.0.0.1 1', ['MULTI', 'SET key 1', 'EXEC'], 'REPLICAOF NO ONE'),
  },
  'MASTERDOWN, stale data is not served': {
    kind: 'not applied',
    says: /MASTERDOWN/,
    happen: async (given) => {
      await sending('CONFIG SET replica-serve-stale-data no')(given);
      return under('REPLICAOF 127.0.0.1 1', 'GET key', 'REPLICAOF NO ONE')(given);
    },
  },
  'NOREPLICAS to write to': {
    kind: 'not applied',
    says: /NOREPLICAS/,
    happen: under('CONFIG SET min-replicas-to-write 1', 'SET key 1', 'CONFIG SET min-replicas-to-write 0'),
  },
  'max number of clients': {
    kind: 'not applied',
    happen: ({ on }) =>
      on(async (send) => {
        await send('CONFIG', 'SET', 'maxclients', '1');
        try {
          return await on((other) => other('GET', 'key'));
        } finally {
          await send('CONFIG', 'SET', 'maxclients', '1000');
        }
      }),
  },
  // Nothing is evicted: only deleting keys or more memory helps.
  'OOM under noeviction': {
    kind: 'permanent',
    says: /OOM/,
    happen: under('CONFIG SET maxmemory 1mb', 'SET key 1', 'CONFIG SET maxmemory 0'),
  },
  'WRONGPASS of a user': { kind: 'permanent', says: /WRONGPASS/, happen: sending('AUTH nobody wrong') },
  'WRONGTYPE of a key': {
    kind: 'permanent',
    says: /WRONGTYPE/,
    happen: sending('SET text 1', 'LPUSH text 1'),
  },
  'NOSCRIPT of this digest': {
    kind: 'permanent',
    says: /NOSCRIPT/,
    happen: sending(`EVALSHA ${'0'.repeat(40)} 0`),
  },
  'a wrong command': { kind: 'permanent', says: /unknown command/, happen: sending('SETT key 1') },
  'NOPERM of a user': {
    kind: 'permanent',
    says: /NOPERM/,
    happen: sending('ACL SETUSER reader on nopass +@read +auth ~*', 'AUTH reader any', 'SET key 1'),
  },
};

/** A private Redis through two drivers. */
export async function checkRedis(): Promise<void> {
  const binary = findRedisBinary();
  if (binary === undefined) return console.log('Redis: not run, there is no redis-server here');
  for (const [name, { open, untold }] of Object.entries(DRIVERS)) {
    const module = await load(name);
    const server = await startPrivateRedis(['--enable-debug-command', 'yes', '--busy-reply-threshold', '50']);
    const on: Given['on'] = (use, port = server.port) => open(module, port, use);
    const known = Object.entries(SCENES).map(([scene, { kind, happen }]) => {
      return [scene, { kind: untold.includes(scene) ? 'ambiguous' : kind, happen }] as const;
    });
    try {
      const what = `${versioned(name)} on Redis ${versionOf(binary)}`;
      await checkScenes(what, Object.fromEntries(known), { server, on });
    } finally {
      await server.stop();
    }
  }
}

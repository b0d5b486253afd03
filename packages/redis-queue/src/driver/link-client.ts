import type {
  IoRedisClient,
  IoRedisPairs,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisListener,
  NodeRedisPipeline,
  RedisClient,
} from './redis-client.ts';
import type { Argument, OnMessage, Pair, PairSender, RedisLink, Sender, Subscriber } from './redis-link.ts';

/** The same client to the broker, whichever package it is from. Its own connection stays its owner's. */
export function linkClient(client: RedisClient): RedisLink {
  const close = async (): Promise<void> => {};
  if ('call' in client) {
    const openSecond = () => openIoRedis(duplicateIoRedis(client));
    const listen = listenByIoRedis(client);
    return { send: sendByIoRedis(client), ask: askByIoRedis(client), listen, openSecond, close };
  }
  const listen = listenByNodeRedis(() => client.duplicate());
  if ('slots' in client) {
    const openSecond = () => openNodeRedis(client.duplicate(), pairByCluster);
    return { send: sendByCluster(client), ask: askByCluster(client), listen, openSecond, close };
  }
  const openSecond = () => openNodeRedis(client.duplicate(), pairByNodeRedis);
  const send = sendByNodeRedis(client);
  return { send, ask: send, listen, openSecond, close };
}

/** Connects it; the first command of a connection that is down says so, so that nobody need hear of its errors. */
async function openNodeRedis<Client extends NodeRedisListener>(
  client: Client,
  pairBy: (client: Client) => PairSender['sendPair'],
): Promise<PairSender> {
  client.on('error', () => {});
  await client.connect();
  return { sendPair: pairBy(client), close: async () => ignoreErrors(() => client.destroy()) };
}

async function openIoRedis(client: IoRedisPairs): Promise<PairSender> {
  client.on('error', () => {});
  return {
    // Alone, one that was not answered is sent again.
    sendPair: async (_key, pair) => {
      const [first, second] = (await pipe(client, pair)).map(readReply);
      return [first, second];
    },
    close: async () => client.disconnect(),
  };
}

function sendByNodeRedis(client: Pick<NodeRedisClient, 'sendCommand'>): Sender['send'] {
  return (_key, args) => client.sendCommand(args);
}

function sendByCluster(cluster: Pick<NodeRedisCluster, 'sendCommand'>): Sender['send'] {
  return (key, args) => cluster.sendCommand(key, false, [...args]);
}

/** Both leave in one turn; what a lost connection did not answer is rejected, not sent again. */
function pairByNodeRedis(client: Pick<NodeRedisClient, 'sendCommand'>): PairSender['sendPair'] {
  return (_key, [first, second]) => Promise.all([client.sendCommand(first), client.sendCommand(second)]);
}

/** Alone, a command without keys goes where the package thinks that it belongs: to any node, or to all. */
function askByCluster(cluster: Pick<NodeRedisCluster, 'multi'>): RedisLink['ask'] {
  return async (key, args) => {
    const [reply] = await startPipeline(cluster, key, args).execAsPipeline();
    return reply;
  };
}

function pairByCluster(cluster: Pick<NodeRedisCluster, 'multi'>): PairSender['sendPair'] {
  return async (key, [first, second]) => {
    const pipeline = startPipeline(cluster, key, first).addCommand(key, false, [...second]);
    const [one, other] = await pipeline.execAsPipeline();
    return [one, other];
  };
}

function startPipeline(
  cluster: Pick<NodeRedisCluster, 'multi'>,
  key: string,
  args: readonly Argument[],
): NodeRedisPipeline {
  return cluster.multi().addCommand(key, false, [...args]);
}

function sendByIoRedis(client: Pick<IoRedisClient, 'call'>): Sender['send'] {
  return (_key, [command = '', ...args]: readonly Argument[]) =>
    client.call(String(command), args as readonly Argument[] as never[]); // texts and Buffers, which every client takes
}

/** Alone, a command without keys goes to any node; so it goes along with a script that has a key and does nothing. */
function askByIoRedis(client: Pick<IoRedisPairs, 'pipeline'>): RedisLink['ask'] {
  return async (key, args) => {
    const [, reply] = await pipe(client, [['EVAL', 'return 1', '1', key], args]);
    return reply && readReply(reply);
  };
}

type PipedReply = readonly [error: Error | null, reply: unknown];

async function pipe(client: Pick<IoRedisPairs, 'pipeline'>, pair: Pair): Promise<readonly PipedReply[]> {
  return (await client.pipeline(pair.map((args) => ['call', ...args]) as never[]).exec()) ?? []; // texts and Buffers, as above
}

function readReply([error, reply]: PipedReply): unknown {
  if (error) throw error;
  return reply;
}

function listenByNodeRedis(duplicate: () => NodeRedisListener): RedisLink['listen'] {
  return (onMessage: OnMessage, onBack: () => void): Subscriber => {
    const connection = duplicate();
    let isDestroyed = false;
    const destroy = (): void => {
      isDestroyed = true;
      ignoreErrors(() => connection.destroy());
    };
    // The watchdog and the next wait find out; without a listener an error would end the process.
    connection.on('error', () => {});
    const connecting = connection.connect().then(() => {
      if (isDestroyed) destroy();
      else connection.on('ready', onBack);
    });
    return {
      subscribe: async (channel) => {
        await connecting;
        await connection.subscribe(channel, (message, from) => onMessage(from, message));
      },
      destroy,
    };
  };
}

function listenByIoRedis(client: IoRedisClient): RedisLink['listen'] {
  return (onMessage: OnMessage, onBack: () => void): Subscriber => {
    const connection = duplicateIoRedis(client);
    connection.on('error', () => {});
    connection.on('message', onMessage);
    // It connects by itself: the first time it is ready, nothing was lost yet.
    let isBack = false;
    connection.on('ready', () => {
      if (isBack) onBack();
      isBack = true;
    });
    return {
      subscribe: async (channel) => void (await connection.subscribe(channel)),
      destroy: () => connection.disconnect(),
    };
  };
}

/** A second connection, which takes commands before it is there, even where the first would not. */
function duplicateIoRedis(client: IoRedisClient): ReturnType<IoRedisClient['duplicate']> {
  return client.duplicate({ enableOfflineQueue: true } as never); // an option, which a cluster passes over
}

/** A connection that is closed already says so when it is closed again. */
export function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // That it is closed is all that was wanted.
  }
}

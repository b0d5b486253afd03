import type {
  IoRedisClient,
  IoRedisListener,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisListener,
  RedisClient,
} from './redis-client.ts';
import type { Argument, Ear, OnMessage, RedisLink, Sender } from './redis-link.ts';

/** The same client to the broker, whichever package it is from. Its own connection stays its owner's. */
export function linkClient(client: RedisClient): RedisLink {
  const close = async (): Promise<void> => {};
  if ('call' in client) {
    const openSecond = () => openIoRedis(client.duplicate());
    return { send: sendByIoRedis(client), listen: listenByIoRedis(client), openSecond, close };
  }
  const listen = listenByNodeRedis(() => client.duplicate());
  if ('slots' in client) {
    const openSecond = () => openNodeRedis(client.duplicate(), sendByCluster);
    return { send: sendByCluster(client), listen, openSecond, close };
  }
  const openSecond = () => openNodeRedis(client.duplicate(), sendByNodeRedis);
  return { send: sendByNodeRedis(client), listen, openSecond, close };
}

/** Connects it; the first command of a connection that is down says so, so that nobody need hear of its errors. */
async function openNodeRedis<Client extends NodeRedisListener>(
  client: Client,
  sendBy: (client: Client) => Sender['send'],
): Promise<Sender> {
  client.on('error', () => {});
  await client.connect();
  return { send: sendBy(client), close: async () => ignoreErrors(() => client.destroy()) };
}

async function openIoRedis(client: IoRedisListener & Pick<IoRedisClient, 'call'>): Promise<Sender> {
  client.on('error', () => {});
  return { send: sendByIoRedis(client), close: async () => client.disconnect() };
}

function sendByNodeRedis(client: Pick<NodeRedisClient, 'sendCommand'>): Sender['send'] {
  return (_key, args) => client.sendCommand(args);
}

function sendByCluster(cluster: Pick<NodeRedisCluster, 'sendCommand'>): Sender['send'] {
  return (key, args) => cluster.sendCommand(key, false, [...args]);
}

function sendByIoRedis(client: Pick<IoRedisClient, 'call'>): Sender['send'] {
  return (_key, [command = '', ...args]: readonly Argument[]) =>
    client.call(String(command), args as readonly Argument[] as never[]); // texts and Buffers, which every client takes
}

function listenByNodeRedis(duplicate: () => NodeRedisListener): RedisLink['listen'] {
  return async (onMessage: OnMessage, onBack: () => void): Promise<Ear> => {
    const connection = duplicate();
    // The watchdog and the next wait find out; without a listener an error would end the process.
    connection.on('error', () => {});
    await connection.connect();
    connection.on('ready', onBack);
    return {
      subscribe: (channel) => connection.subscribe(channel, (message, from) => onMessage(from, message)),
      destroy: () => ignoreErrors(() => connection.destroy()),
    };
  };
}

function listenByIoRedis(client: IoRedisClient): RedisLink['listen'] {
  return async (onMessage: OnMessage, onBack: () => void): Promise<Ear> => {
    const connection = client.duplicate();
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

/** A connection that is closed already says so when it is closed again. */
function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // That it is closed is all that was wanted.
  }
}

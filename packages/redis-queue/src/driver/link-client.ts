import type {
  IoRedisClient,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisListener,
  RedisClient,
} from './redis-client.ts';
import type { Argument, Ear, OnMessage, RedisLink } from './redis-link.ts';

/** The same client to the broker, whichever package it is from. Its own connection stays its owner's. */
export function linkClient(client: RedisClient): RedisLink {
  const close = async (): Promise<void> => {};
  if ('call' in client) return { send: sendByIoRedis(client), listen: listenByIoRedis(client), close };
  const send = 'slots' in client ? sendByCluster(client) : sendByNodeRedis(client);
  return { send, listen: listenByNodeRedis(() => client.duplicate()), close };
}

function sendByNodeRedis(client: NodeRedisClient): RedisLink['send'] {
  return (_key, args) => client.sendCommand(args);
}

function sendByCluster(cluster: NodeRedisCluster): RedisLink['send'] {
  return (key, args) => cluster.sendCommand(key, false, [...args]);
}

function sendByIoRedis(client: IoRedisClient): RedisLink['send'] {
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

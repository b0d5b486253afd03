import { closedError } from '@retry/core/broker/kit';
import { RedisBrokerError } from '../errors.ts';
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

/** Adapts a client of either package. Closing the link leaves the client open. */
export function linkClient(client: RedisClient): RedisLink {
  const close = async (): Promise<void> => {};
  const common = { ...transactionsOf(client), close };
  if ('call' in client) {
    const openSecond = (closing?: AbortSignal) => openIoRedis(duplicateIoRedis(client), closing);
    const listen = listenByIoRedis(client);
    return { send: sendByIoRedis(client), ask: askByIoRedis(client), listen, openSecond, ...common };
  }
  const listen = listenByNodeRedis(() => client.duplicate());
  if ('slots' in client) {
    const openSecond = (closing?: AbortSignal) =>
      openNodeRedis(client.duplicate(), { pairBy: pairByCluster, closing });
    return { send: sendByCluster(client), ask: askByCluster(client), listen, openSecond, ...common };
  }
  const openSecond = (closing?: AbortSignal) =>
    openNodeRedis(client.duplicate(), { pairBy: pairByNodeRedis, closing });
  const send = sendByNodeRedis(client);
  const isConnected = (): boolean => client.isReady !== false;
  return { send, ask: send, isConnected, listen, openSecond, ...common };
}

interface SecondOptions<Client> {
  readonly pairBy: (client: Client) => PairSender['sendPair'];
  readonly closing: AbortSignal | undefined;
}

/** Connects the client. Its errors are ignored: commands of a connection that is down reject. */
async function openNodeRedis<Client extends NodeRedisListener>(
  client: Client,
  { pairBy, closing }: SecondOptions<Client>,
): Promise<PairSender> {
  refuseClosed(closing);
  client.on('error', () => {});
  const connecting = client.connect();
  const close = createEnd(client, connecting);
  closing?.addEventListener('abort', close);
  try {
    await connecting;
  } catch (error) {
    closing?.removeEventListener('abort', close);
    throw error;
  }
  return { sendPair: pairBy(client), close: async () => close() };
}

async function openIoRedis(client: IoRedisPairs, closing: AbortSignal | undefined): Promise<PairSender> {
  const close = (): void => client.disconnect();
  client.on('error', () => {});
  if (closing?.aborted) close();
  refuseClosed(closing);
  closing?.addEventListener('abort', close);
  return {
    // In a pipeline: a single command without an answer would be sent again.
    sendPair: async (_key, pair) => {
      const [first, second] = (await pipe(client, pair)).map(readReply);
      return [first, second];
    },
    close: async () => close(),
  };
}

/** @throws {BrokerError} `BROKER_CLOSED` when the connection would be closed as soon as it is open */
function refuseClosed(closing: AbortSignal | undefined): void {
  if (closing?.aborted) throw closedError('Redis');
}

/**
 * Returns what ends a client of `redis` immediately. One that is destroyed while it connects may be connected all the same, and stay so:
 * then it is destroyed again.
 *
 * @param connecting - what its `connect` has returned
 */
export function createEnd(
  client: Pick<NodeRedisListener, 'destroy'>,
  connecting: Promise<unknown>,
): () => void {
  const destroy = (): void => ignoreErrors(() => client.destroy());
  return () => {
    destroy();
    connecting.then(destroy, () => {}); // one that does not connect has nothing to end
  };
}

/**
 * The package gives each command an AbortSignal that fires after seconds, sent or not, and rejects the command should it still not be
 * written. It takes a tenth of the time of a small command, and what a connected client is given is written in the same turn.
 */
const WITHOUT_TIMER = { timeout: 0 } as const;

function sendByNodeRedis(client: Pick<NodeRedisClient, 'sendCommand' | 'isReady'>): Sender['send'] {
  return (_key, args) =>
    client.isReady === true
      ? client.sendCommand(args, WITHOUT_TIMER)
      : client.sendCommand(args).catch(throwCured);
}

/** Names what the errors of the package do not. */
function throwCured(error: unknown): never {
  if (isUnsent(error)) throw unsent(error);
  throw isClosed(error) ? notConnected(error) : error;
}

/** Whether the package has given a command up that it could not write for seconds: its error says nothing. */
function isUnsent(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'TimeoutError' && error.message === '';
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.constructor.name === 'ClientClosedError';
}

function notConnected(cause: unknown): RedisBrokerError {
  const message =
    'the client of redis is not connected. Run await client.connect() before the first call of the broker, and leave it open until await broker.close().';
  return new RedisBrokerError('CLIENT_NOT_CONNECTED', message, { cause });
}

function unsent(cause: unknown): RedisBrokerError {
  const message =
    'there was no connection to the Redis server for as long as a command waits for one (5 s unless the client has the option commandOptions.timeout): this one was not sent. Start the server, or correct the url or the client.';
  return new RedisBrokerError('REDIS_UNREACHABLE', message, { cause });
}

function sendByCluster(cluster: Pick<NodeRedisCluster, 'sendCommand'>): Sender['send'] {
  return (key, args) => cluster.sendCommand(key, false, [...args]).catch(throwCured);
}

/** Sends both in one turn of the event loop. Commands that a lost connection did not answer reject, and are not sent again. */
function pairByNodeRedis(client: Pick<NodeRedisClient, 'sendCommand'>): PairSender['sendPair'] {
  return (_key, [first, second]) =>
    Promise.all([client.sendCommand(first), client.sendCommand(second)]).catch(throwCured);
}

/** In a pipeline: the package sends a single command without keys to any node, or to all. */
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

/** In a pipeline after a script that has the key and does nothing: a single command without keys goes to any node. */
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
    // The watchdog replaces a broken connection; without a listener an error would end the process.
    connection.on('error', () => {});
    const connecting = connection.connect();
    const connected = connecting.then(() => connection.on('ready', onBack));
    return {
      subscribe: async (channel) => {
        await connected;
        await connection.subscribe(channel, (message, from) => onMessage(from, message));
      },
      destroy: createEnd(connection, connecting),
    };
  };
}

function listenByIoRedis(client: IoRedisClient): RedisLink['listen'] {
  return (onMessage: OnMessage, onBack: () => void): Subscriber => {
    const connection = duplicateIoRedis(client);
    connection.on('error', () => {});
    connection.on('message', onMessage);
    // It connects by itself; the first time it is ready, no message was lost.
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

/** A second connection, which accepts commands while it is opening, even if the first does not. */
function duplicateIoRedis(client: IoRedisClient): ReturnType<IoRedisClient['duplicate']> {
  const options = { enableOfflineQueue: true } as never; // an option of both
  return client.isCluster === true ? client.duplicate([] as never, options) : client.duplicate(options);
}

/** A connection that can be left. */
export type Leaving = Pick<NodeRedisClient, 'sendCommand' | 'isReady'>;

/** Lets the server end a connection: the package then opens it again, as one that was lost, and sends what was not written yet. */
export function leaveServer(connection: Leaving): void {
  if (connection.isReady === true) connection.sendCommand(['QUIT']).catch(() => {});
}

/** Runs an action and ignores its errors: closing a closed connection throws. */
export function ignoreErrors(action: () => void): void {
  try {
    action();
  } catch {
    // It was closed already.
  }
}

/** Returns how a client of either package sends a transaction, if it can. */
export function transactionsOf(client: RedisClient): Pick<RedisLink, 'sendAll'> {
  if ('call' in client) return client.multi === undefined ? {} : { sendAll: byIoRedis(client) };
  if ('slots' in client) return { sendAll: byCluster(client) };
  return client.multi === undefined ? {} : { sendAll: byNodeRedis(client) };
}

type SendAll = NonNullable<RedisLink['sendAll']>;

function byNodeRedis(client: NodeRedisClient): SendAll {
  return async (_key, commands) => {
    const transaction = client.multi?.();
    for (const args of commands) transaction?.addCommand([...args]);
    return (await transaction?.exec().catch(readReplies)) ?? [];
  };
}

function byCluster(cluster: NodeRedisCluster): SendAll {
  return (key, commands) => {
    const transaction = cluster.multi();
    for (const args of commands) transaction.addCommand(key, false, [...args]);
    return transaction.exec().catch(readReplies);
  };
}

/** The package rejects where one of the replies is an error, and that has all of them. */
function readReplies(error: unknown): readonly unknown[] {
  if (error instanceof Error && 'replies' in error && Array.isArray(error.replies)) return error.replies;
  throw error;
}

function byIoRedis(client: IoRedisClient): SendAll {
  return async (_key, commands) => {
    const calls = commands.map((args) => ['call', ...args]) as never[]; // texts and Buffers, which every client takes
    const replies = await client.multi?.(calls).exec().catch(throwCause);
    return (replies ?? []).map(([error, reply]) => error ?? reply);
  };
}

/** Throws why the server discarded a transaction, rather than that it did. */
function throwCause(error: unknown): never {
  const causes = error instanceof Error && 'previousErrors' in error ? error.previousErrors : undefined;
  throw (Array.isArray(causes) ? causes[0] : undefined) ?? error;
}

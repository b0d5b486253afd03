import type { IoRedisClient, NodeRedisClient, NodeRedisCluster, RedisClient } from './redis-client.ts';
import type { RedisLink } from './redis-link.ts';

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

import { randomUUID } from 'node:crypto';
import type { RedisBroker, RedisBrokerOptions } from '@retry/redis-queue';
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import type { WorkerHarness } from '../contract/worker/worker-scene.ts';
import type { BrokerHarness } from './broker-scene.ts';

/** A harness whose broker can be asked what its server said. */
export interface RedisHarness extends BrokerHarness {
  readonly broker: RedisBroker;
  readonly prefix: string;
}

/** Opens a broker under a prefix of its own, and removes what it kept when it is closed. */
export async function openRedisHarness(url: string, options: RedisBrokerOptions = {}): Promise<RedisHarness> {
  const prefix = `test-${randomUUID()}`;
  const source = options.client === undefined ? { url } : {};
  const broker = await createRedisBroker({ keepCompleted: Infinity, prefix, ...source, ...options });
  return {
    broker,
    prefix,
    advance: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    close: async () => {
      await broker.close();
      await removeKeys(url, options.prefix ?? prefix);
    },
  };
}

/** Removes the keys of one prefix from a server that others may use as well. */
export async function removeKeys(url: string, prefix: string): Promise<void> {
  // A cluster is private and ends with its tests.
  if (url === '') return;
  const client = createClient({ url });
  await client.connect();
  for await (const keys of client.scanIterator({ MATCH: `{${prefix}:*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys);
  }
  await client.close();
}

/** Opens a queue that several brokers of one prefix work on. */
export async function openRedisQueue(url: string, options: RedisBrokerOptions = {}): Promise<WorkerHarness> {
  const prefix = `test-${randomUUID()}`;
  const source = options.client === undefined ? { url } : {};
  const brokers: RedisBroker[] = [];
  return {
    connect: async () => {
      const broker = await createRedisBroker({ prefix, ...source, ...options });
      brokers.push(broker);
      return broker;
    },
    close: async () => {
      await Promise.all(brokers.map((broker) => broker.close()));
      await removeKeys(url, prefix);
    },
  };
}

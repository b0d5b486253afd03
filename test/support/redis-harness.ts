import { randomUUID } from 'node:crypto';
import { isRetryError } from '@retry/core';
import type { RedisBroker, RedisBrokerOptions } from '@retry/redis-queue';
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { afterEach, beforeEach } from 'vitest';
import type { WorkerHarness } from '../contract/worker/worker-scene.ts';
import type { BrokerHarness } from './broker-scene.ts';
import { passTime } from './pass-time.ts';
import { removeKeys } from './servers/remove-keys.ts';

/** A harness whose broker can report the version and settings of its server. */
export interface RedisHarness extends BrokerHarness {
  readonly broker: RedisBroker;
  readonly prefix: string;
}

/** A broker that has reached and examined its server. */
export async function openRedisBroker(options: RedisBrokerOptions): Promise<RedisBroker> {
  const broker = createRedisBroker(options);
  await broker.ready();
  return broker;
}

/** How often a broker asks for a server that is there, but has no time: then the case itself is late. */
const MAX_STARTS = 10;

/** A broker on a server that is known to be there: while that is too busy to answer, it is asked again. */
async function openOnServer(options: RedisBrokerOptions): Promise<RedisBroker> {
  const broker = createRedisBroker(options);
  for (let starts = 1; ; starts += 1) {
    try {
      await broker.ready();
      return broker;
    } catch (error) {
      if (isRetryError(error, 'REDIS_UNREACHABLE') && starts < MAX_STARTS) continue;
      await broker.close();
      throw error;
    }
  }
}

/** Opens a broker under a prefix of its own, and removes what it kept when it is closed. */
export async function openRedisHarness(url: string, options: RedisBrokerOptions = {}): Promise<RedisHarness> {
  const prefix = `test-${randomUUID()}`;
  const source = options.client === undefined ? { url } : {};
  const connect = () => openOnServer({ keepCompleted: { count: Infinity }, prefix, ...source, ...options });
  const broker = await connect();
  return {
    broker,
    connect,
    prefix,
    advance: passTime,
    close: async () => {
      await broker.close();
      await removeKeys(url, options.prefix ?? prefix);
    },
  };
}

/** The broker of a test, and a client that looks at what it keeps and changes it. */
export interface RedisScene extends Pick<RedisHarness, 'broker' | 'prefix' | 'advance'> {
  readonly client: Awaited<ReturnType<typeof connectClient>>;
  /** The key of this name in the first partition. */
  readonly key: (name: string) => string;
}

/** Opens a broker and a client for each test, and closes both after. */
export function useRedis(server: () => { readonly url: string }, options?: RedisBrokerOptions): RedisScene {
  let harness: RedisHarness | undefined;
  let client: RedisScene['client'] | undefined;
  beforeEach(async () => {
    harness = await openRedisHarness(server().url, options);
    client = await connectClient(server().url);
  });
  afterEach(async () => {
    await harness?.close();
    await client?.close();
  });
  const current = (): RedisHarness => harness ?? missing();
  return {
    get broker() {
      return current().broker;
    },
    get prefix() {
      return current().prefix;
    },
    get client() {
      return client ?? missing();
    },
    advance: (ms) => current().advance(ms),
    key: (name) => `{${current().prefix}:0}:${name}`,
  };
}

function connectClient(url: string) {
  return createClient({ url }).connect();
}

function missing(): never {
  throw new Error('nothing is open outside of a test');
}

/** Opens a queue that several brokers of one prefix work on. */
export async function openRedisQueue(url: string, options: RedisBrokerOptions = {}): Promise<WorkerHarness> {
  const prefix = `test-${randomUUID()}`;
  const source = options.client === undefined ? { url } : {};
  const brokers: RedisBroker[] = [];
  return {
    ...(options.client !== undefined && { leaseRenewal: 'loop' as const }),
    connect: async () => {
      const broker = await openOnServer({ prefix, ...source, ...options });
      brokers.push(broker);
      return broker;
    },
    close: async () => {
      await Promise.all(brokers.map((broker) => broker.close()));
      await removeKeys(url, prefix);
    },
  };
}

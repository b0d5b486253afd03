import { randomUUID } from 'node:crypto';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { RedisBrokerOptions } from '@retry/redis-queue';
import { createClient } from 'redis';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { PairFactory } from '../support/differential.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { readClockKey, rewriteScripts } from '../support/redis-scripts.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

/** Queues without runs, each with a clock that only moves when it is set. */
export interface ClockedRedis {
  readonly openQueue: () => ClockedQueue;
  readonly close: () => Promise<void>;
}

export interface ClockedQueue {
  readonly openBroker: (options?: RedisBrokerOptions) => Promise<Broker>;
  /** Sets its clock, in whole epoch milliseconds; before the first call. */
  readonly setTime: (at: number) => Promise<unknown>;
}

/** Returns Lua without line breaks, so that a part of it is found however it is laid out. */
export function inOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').trim();
}

/** Queues over one connection, whose scripts are rewritten by `mutate`; it gets each in one line. */
export async function openClockedRedis(
  url: string,
  mutate?: (text: string) => string,
): Promise<ClockedRedis> {
  const client = createClient({ url });
  await client.connect();
  const scripted = rewriteScripts(client, (text) => {
    const clocked = readClockKey(text);
    return mutate === undefined ? clocked : mutate(inOneLine(clocked));
  });
  const prefixes = new Set<string>();
  return {
    openQueue: () => {
      const prefix = `clocked-${randomUUID()}`;
      prefixes.add(prefix);
      return {
        openBroker: (options) =>
          openRedisBroker({ client: scripted, prefix, keepCompleted: { count: Infinity }, ...options }),
        setTime: (at) => client.set(`{${prefix}:0}:clock`, `${at}`),
      };
    },
    close: async () => {
      for (const prefix of prefixes) await removeKeys(url, prefix);
      await client.close();
    },
  };
}

/** Pairs over one connection, whose scripts are rewritten by `mutate`; it gets each in one line. */
export async function createPairs(url: string, mutate?: (text: string) => string): Promise<PairFactory> {
  const { openQueue, close } = await openClockedRedis(url, mutate);
  return {
    open: async () => {
      const clock = createFakeClock();
      const { openBroker, setTime } = openQueue();
      const tick = (): Promise<unknown> => setTime(Math.floor(clock.now()));
      await tick();
      const redis = await openBroker();
      const memory = createMemoryBroker({ clock, keepCompleted: { count: Infinity } });
      const advance = async (ms: number): Promise<void> => {
        await clock.advance(ms);
        await tick();
      };
      return { broker: pairBrokers(redis, memory), advance, clock: 'fake' };
    },
    close,
  };
}

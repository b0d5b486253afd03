import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { createClock } from '@retry/core/clock';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRedisBroker } from '@retry/redis-queue';
import { createTestClock } from '@retry/worker/testing';
import { createClient } from 'redis';
// The demo finds its servers, and moves their clocks, as the tests do.
import { clockBroker } from '../../../test/support/clocked-broker.ts';
import { readClockKey, rewriteScripts } from '../../../test/support/redis-scripts.ts';
import { openRedis } from '../../../test/support/servers/redis.ts';
import { removeKeys } from '../../../test/support/servers/remove-keys.ts';
import type { BrokerName } from '../brokers/open-broker.ts';

/** A queue while its clock is behind: a day passes as fast as its work is done. */
export interface Past {
  readonly broker: Broker;
  /** Of workers and queues. */
  readonly clock: Clock;
  /** The time of the broker, in epoch milliseconds. */
  readonly now: () => number;
  readonly advance: (ms: number) => Promise<void>;
}

/** An empty queue in the past, and what becomes of it. */
export interface OpenDay {
  readonly past: Past;
  /** Ends the past, in which nothing may run any more. @returns the same queue, by the real clock */
  readonly enterPresent: () => Promise<Broker>;
  /** Where it is, for people. */
  readonly where: string;
  /** The options of `retry` that lead there; absent where no other process gets there. Without a password. */
  readonly options?: string;
  /** Removes all of it. */
  readonly close: () => Promise<void>;
}

const BROKERS = { memory: openInMemory, redis: openOnRedis, postgres: refusePostgres };

/** Opens an empty queue at a time that has passed. @throws {Error} for Postgres, or without a Redis */
export function openDay(name: BrokerName, startAt: number): Promise<OpenDay> {
  return BROKERS[name](startAt);
}

async function refusePostgres(): Promise<never> {
  throw new Error(
    '--board fills a queue with a day that has passed, and turns no clock of Postgres back. Use --broker redis or --broker memory; of a queue in Postgres, retry board shows what --keep left.',
  );
}

async function openInMemory(startAt: number): Promise<OpenDay> {
  const virtual = createTestClock(startAt);
  let clock: Clock = virtual;
  const broker = createMemoryBroker({
    clock: { now: () => clock.now(), setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs) },
  });
  return {
    past: { broker, clock: virtual, now: virtual.now, advance: virtual.advance },
    enterPresent: async () => {
      clock = createClock({ now: Date.now, set: setTimeout, clear: clearTimeout });
      return broker;
    },
    where: 'in memory',
    close: broker.close,
  };
}

/** The keys of the demo on a server that others may use as well. */
const PREFIX = 'retry-demo-board';

/** On the server of REDIS_URL, else on one of its own. */
async function openOnRedis(startAt: number): Promise<OpenDay> {
  const { url, source, stop } = await openRedis();
  const isGiven = source === 'REDIS_URL';
  const prefix = isGiven ? PREFIX : 'retry';
  // Open until the end: the connection of `removeKeys` keeps no process alive.
  const client = await createClient({ url }).connect();
  await removeKeys(url, prefix);
  const clockKey = `{${prefix}:0}:clock`;
  const setTime = (at: number) => client.set(clockKey, `${at}`);
  await setTime(startAt);
  const scripted = createRedisBroker({ client: rewriteScripts(client, readClockKey), prefix });
  const stage = clockBroker(scripted, setTime, startAt);
  let broker: Broker = scripted;
  return {
    past: {
      broker: stage.broker,
      clock: stage.clock,
      now: () => startAt + stage.clock.now(),
      advance: stage.clock.advance,
    },
    enterPresent: async () => {
      await scripted.close();
      await client.del(clockKey);
      broker = createRedisBroker({ url, prefix });
      return broker;
    },
    where: `on Redis (${source})`,
    options: isGiven ? `--url "$REDIS_URL" --prefix ${prefix}` : `--url ${url}`,
    close: async () => {
      await broker.close();
      await removeKeys(url, prefix);
      client.destroy();
      await stop();
    },
  };
}

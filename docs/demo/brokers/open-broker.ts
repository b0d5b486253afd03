import { randomUUID } from 'node:crypto';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createRedisBroker } from '@retry/redis-queue';
// The demo finds its servers as the tests do.
import { openRedis } from '../../../test/support/servers/redis.ts';
import { removeKeys } from '../../../test/support/servers/remove-keys.ts';
import { openPGlite, openServer } from './open-on-postgres.ts';

/** An open broker, and how to remove everything it left. */
export interface OpenBroker {
  readonly broker: Broker;
  /** Where it is, for the heading. */
  readonly where: string;
  readonly close: () => Promise<void>;
}

/** Empty, or with what an earlier demo left there. */
export type Start = 'afresh' | 'resume';

const BROKERS = { memory: openMemory, redis: openOnRedis, postgres: openOnPostgres };

/** A broker that the demo knows. */
export type BrokerName = keyof typeof BROKERS;

/** Every broker that the demo knows. */
export const BROKER_NAMES = Object.keys(BROKERS) as readonly BrokerName[]; // the keys of that object

/** Opens a broker for the demo alone. @throws {Error} without a server; the message says how to get one */
export function openBroker(name: BrokerName, start: Start): Promise<OpenBroker> {
  if (start === 'resume' && name !== 'postgres') {
    throw new Error(`--resume needs --broker postgres, got ${name}: the others leave nothing behind.`);
  }
  return BROKERS[name](start);
}

async function openMemory(): Promise<OpenBroker> {
  const broker = createMemoryBroker();
  return { broker, where: 'in memory', close: broker.close };
}

async function openOnRedis(): Promise<OpenBroker> {
  const { url, source, stop } = await openRedis();
  const prefix = `retry-demo-${randomUUID()}`;
  const broker = createRedisBroker({ url, prefix });
  const { version, persistence } = await broker.server();
  return {
    broker,
    where: `on Redis ${version} (${source}; persistence: ${persistence})`,
    close: async () => {
      await broker.close();
      await removeKeys(url, prefix);
      await stop();
    },
  };
}

/** On the server of DATABASE_URL, else on PGlite in a folder, which outlives the process. */
function openOnPostgres(start: Start): Promise<OpenBroker> {
  const database = { schema: 'retry_demo', start };
  const url = process.env['DATABASE_URL'];
  return url ? openServer(url, database) : openPGlite('retry-demo-postgres', database);
}

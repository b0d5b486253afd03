import { randomUUID } from 'node:crypto';
import { createMemoryBroker } from '@retry/inprocess';
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { createFakeClock } from '../inprocess/fake-clock.ts';
import type { Real } from '../support/broker-commands.ts';
import { pairBrokers } from '../support/paired-broker.ts';
import { readClockKey, rewriteScripts } from '../support/redis-scripts.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

/** Makes pairs of a memory broker and a Redis broker that live by one fake clock. */
export interface PairFactory {
  /** A pair without runs. */
  readonly open: () => Promise<Real>;
  readonly close: () => Promise<void>;
}

/** Pairs over one connection, whose scripts are rewritten by `mutate`. */
export async function createPairs(
  url: string,
  mutate: (text: string) => string = (text) => text,
): Promise<PairFactory> {
  const client = createClient({ url });
  await client.connect();
  const scripted = rewriteScripts(client, (text) => mutate(readClockKey(text)));
  const prefixes = new Set<string>();
  return {
    open: async () => {
      const prefix = `differential-${randomUUID()}`;
      prefixes.add(prefix);
      const clock = createFakeClock();
      const tick = (): Promise<unknown> => client.set(`{${prefix}:0}:clock`, `${Math.floor(clock.now())}`);
      await tick();
      const redis = await createRedisBroker({ client: scripted, prefix, keepCompleted: Infinity });
      const memory = createMemoryBroker({ clock, keepCompleted: Infinity });
      const advance = async (ms: number): Promise<void> => {
        await clock.advance(ms);
        await tick();
      };
      return { broker: pairBrokers(redis, memory), advance, clock: 'fake' };
    },
    close: async () => {
      for (const prefix of prefixes) await removeKeys(url, prefix);
      await client.close();
    },
  };
}

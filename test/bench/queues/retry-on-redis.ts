import { createRedisBroker } from '@retry/redis-queue';
import type { Contender } from './contender.ts';
import type { Settings } from './on-retry.ts';
import { contendOnRetry } from './on-retry.ts';

/** Our own queue on Redis. */
export function retryOnRedis(settings: Settings = {}): Contender {
  return contendOnRetry(async ({ url, name }) => {
    const broker = await createRedisBroker({ url, prefix: name });
    return { broker, close: () => broker.close() };
  }, settings);
}

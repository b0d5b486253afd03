import { createClient } from 'redis';
import { startPrivateRedis } from '../../support/servers/redis.ts';
import type { BenchServer } from './server.ts';

/** A private Redis with the settings it comes with, but for persistence, which is off. */
export async function openRedisServer(): Promise<BenchServer> {
  const server = await startPrivateRedis();
  const observer = createClient({ url: server.url });
  await observer.connect();
  const info = await observer.info('server');
  return {
    url: server.url,
    version: `Redis ${/redis_version:(\S+)/.exec(info)?.[1]}`,
    clear: async () => {
      await observer.flushAll('SYNC');
    },
    read: async () => {
      const spent = [...(await observer.info('cpu')).matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)];
      return { cpuMs: spent.reduce((sum, [, seconds]) => sum + Number(seconds), 0) * 1_000 };
    },
    storedBytes: async () => Number(/used_memory:(\d+)/.exec(await observer.info('memory'))?.[1]),
    stop: async () => {
      await observer.close();
      await server.stop();
    },
  };
}

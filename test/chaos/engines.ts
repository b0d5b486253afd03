import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import pg from 'pg';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import type { ChaosEngine } from './engine.ts';

/** The engines that `npm run chaos -- <engine>` knows. */
export const ENGINES: Readonly<Record<string, ChaosEngine>> = {
  redis: {
    start: async () => {
      const { url, source, stop } = await startPrivateRedis();
      return { address: url, source, stop };
    },
    connect: async (url, name = 'chaos') =>
      createRedisBroker({ url, prefix: name, keepCompleted: { count: Infinity } }),
  },
  postgres: {
    start: async () => {
      const { url, source, stop } = await startPrivatePostgres(['max_connections=200']);
      return { address: url, source, stop };
    },
    connect: async (url, name = 'chaos') => {
      const pool = new pg.Pool({ connectionString: url, max: 1 });
      await migrate(pool, { schema: name });
      await pool.end();
      return createPostgresBroker({ url, schema: name, keepCompleted: { count: Infinity } });
    },
  },
};

/** The engine of a name. @throws when there is none, naming those there are */
export function engineOf(name: string | undefined): ChaosEngine {
  const engine = ENGINES[name ?? ''];
  if (engine !== undefined) return engine;
  throw new Error(
    `There is no engine called ${name}. Use npm run chaos -- ${Object.keys(ENGINES).join(' | ')}.`,
  );
}

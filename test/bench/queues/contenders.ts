import type { Contender } from './contender.ts';

type Load = () => Promise<Contender>;

/** Every library with every choice of settings; a process loads only the one that it runs. */
export const contenders: Readonly<Record<string, Load>> = {
  'retry on Redis': async () => (await import('./retry-on-redis.ts')).retryOnRedis(),
  'retry on Redis, prefetch 0': async () =>
    (await import('./retry-on-redis.ts')).retryOnRedis({ prefetch: 0 }),
  'retry on Redis, prefetch 500': async () =>
    (await import('./retry-on-redis.ts')).retryOnRedis({ prefetch: 500 }),
  BullMQ: async () => (await import('./bullmq.ts')).bullmq('defaults'),
  'BullMQ, best': async () => (await import('./bullmq.ts')).bullmq('best'),
  'bee-queue': async () => (await import('./bee-queue.ts')).beeQueue('defaults'),
  'bee-queue, best': async () => (await import('./bee-queue.ts')).beeQueue('best'),
  'bare on Redis': async () => (await import('./bare/redis.ts')).bareRedis(),
  'bare on Redis, strict': async () => (await import('./bare/redis.ts')).bareRedis({ isStrict: true }),
  'retry on a pg.Pool': async () => (await import('./retry-on-postgres.ts')).retryOnPostgres('pool'),
  'retry on a pg.Pool, prefetch 0': async () =>
    (await import('./retry-on-postgres.ts')).retryOnPostgres('pool', { prefetch: 0 }),
  'retry by url': async () => (await import('./retry-on-postgres.ts')).retryOnPostgres('url'),
  'retry by url, prefetch 1000': async () =>
    (await import('./retry-on-postgres.ts')).retryOnPostgres('url', { prefetch: 1_000 }),
  'bare on Postgres': async () => (await import('./bare/postgres.ts')).barePostgres(),
  'bare on Postgres, strict': async () =>
    (await import('./bare/postgres.ts')).barePostgres({ isStrict: true }),
  'graphile-worker': async () => (await import('./graphile-worker.ts')).graphileWorker(),
  'graphile-worker, localQueue 1000': async () =>
    (await import('./graphile-worker.ts')).graphileWorker({ localQueue: 1_000 }),
  'graphile-worker, localQueue 5000': async () =>
    (await import('./graphile-worker.ts')).graphileWorker({ localQueue: 5_000 }),
  'pg-boss, fetch 1': async () => (await import('./pg-boss.ts')).pgBoss('one by one'),
  'pg-boss, fetch 1000': async () => (await import('./pg-boss.ts')).pgBoss('batches'),
  'pg-boss, notified': async () => (await import('./pg-boss.ts')).pgBoss('notified'),
};

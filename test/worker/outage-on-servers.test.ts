import type { Broker } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { openPool } from '../postgres/open-broker.ts';
import { passTime } from '../support/pass-time.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const LEASE_MS = 3_000;
const WORKERS = 3;
const RUNS = 24;

/** How long the server is away: no lease survives that. */
const AWAY_MS = 1.6 * LEASE_MS;

/** Every third handler returns while the server is away, the others well after it is back. */
function durationOf(index: number): number {
  return index % 3 === 0 ? 0.8 * LEASE_MS : 5 * LEASE_MS;
}

/** Lets several workers, with connections of their own, live through an outage. @returns how often each run was executed, and the runs */
async function liveThrough(open: () => Broker, outage: () => Promise<void>) {
  const brokers = Array.from({ length: WORKERS }, open);
  const broker = open();
  const queue = createQueue({ broker });
  const executions = new Map<string, number>();
  const task = defineTask({
    name: 'long',
    retry: { maxAttempts: 1 },
    run: async (index: number, { id }) => {
      executions.set(id, (executions.get(id) ?? 0) + 1);
      await passTime(durationOf(index));
    },
  });
  const workers = brokers.map((each) =>
    createWorker({ broker: each, tasks: [task], lease: LEASE_MS, concurrency: RUNS / WORKERS, signals: [] }),
  );
  for (const worker of workers) worker.on('error', () => {});
  const submitted = await queue.submitMany(task, [...Array(RUNS).keys()]);
  for (const worker of workers) worker.start();
  await expect.poll(() => executions.size, { timeout: 10_000 }).toBe(RUNS);

  await outage();

  await expect.poll(async () => (await queue.counts()).started, { timeout: 40_000 }).toBe(0);
  const runs = await Promise.all(submitted.map(({ id }) => queue.get(id)));
  await Promise.all(workers.map((worker) => worker.stop()));
  await Promise.all([broker, ...brokers].map((each) => each.close()));
  return { executions: [...executions.values()], runs };
}

function expectOnceEach({ executions, runs }: Awaited<ReturnType<typeof liveThrough>>): void {
  expect(executions).toEqual(Array(RUNS).fill(1));
  for (const run of runs) expect(run).toMatchObject({ state: 'completed', stalls: 0, epoch: 1 });
}

describeOnPrivateRedis('Redis is away for longer than a lease', () => {
  it('executes no run twice, and loses no completion', async () => {
    const server = await startPrivateRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    const open = (): Broker =>
      createRedisBroker({ url: server.url, keepCompleted: { count: 100 }, onError: () => {} });

    expectOnceEach(await liveThrough(open, () => server.restart('SIGKILL', AWAY_MS)));

    await server.stop();
  });
});

describeOnPrivatePostgres('Postgres is away for longer than a lease', () => {
  it('executes no run twice, and loses no completion', async () => {
    const server = await startPrivatePostgres();
    const pool = openPool(server.url);
    await migrate(pool);
    await pool.end();
    const open = (): Broker =>
      createPostgresBroker({ url: server.url, keepCompleted: { count: 100 }, onError: () => {} });

    expectOnceEach(await liveThrough(open, () => server.restart('immediate', AWAY_MS)));

    await server.stop();
  });
});

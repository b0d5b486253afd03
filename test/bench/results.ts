/**
 * `npm run bench -- results`: what it costs to wait. Twenty thousand callers at the same time submit a run each, once
 * without and once with waiting for its result, on every broker; a row is taken by turns, so compare within a table.
 */
import { randomUUID } from 'node:crypto';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { isWanted, printHeader, printTable, roundsOr } from './report.ts';
import { inRounds } from './rounds.ts';

printHeader('results', []);

const CALLERS = 20_000;

/** Opens a broker without runs, as another process would, so that producer and worker share no connection. */
interface Place {
  readonly connect: () => Promise<Broker>;
  readonly close: () => Promise<unknown>;
}

const double = defineTask({ name: 'double', run: (number: number) => number * 2 });

/** Runs a second, from the first call until every run has completed and every caller has its answer. */
async function rate(open: () => Promise<Place>, verb: 'submit' | 'submitAndWait'): Promise<number> {
  const { connect, close } = await open();
  const [producer, consumer] = [await connect(), await connect()];
  const queue = createQueue({ broker: producer });
  const worker = createWorker({
    broker: consumer,
    tasks: [double],
    signals: [],
    concurrency: 100,
    prefetch: 500,
  });
  let completed = 0;
  const allCompleted = new Promise<void>((resolve) => {
    worker.on('completed', () => {
      completed += 1;
      if (completed === CALLERS) resolve();
    });
  });
  worker.start();
  const startedAt = performance.now();
  const calls = Array.from({ length: CALLERS }, (_, index) => queue[verb](double, index));
  await Promise.all([...calls, allCompleted]);
  const seconds = (performance.now() - startedAt) / 1_000;
  await worker.stop();
  await Promise.all([producer.close(), consumer === producer ? undefined : consumer.close()]);
  await close();
  return CALLERS / seconds;
}

async function compare(title: string, open: () => Promise<Place>): Promise<void> {
  const rows = (['submit', 'submitAndWait'] as const).map((verb) => ({
    name: verb,
    take: () => rate(open, verb),
  }));
  printTable(
    title,
    'runs per second',
    await inRounds(rows, roundsOr(5), (index) => rows[index]?.take() ?? rate(open, 'submit')),
  );
}

if (isWanted('memory'))
  await compare(`memory: ${CALLERS} callers`, async () => {
    const broker = createMemoryBroker();
    return { connect: async () => broker, close: async () => {} };
  });

if (isWanted('redis')) {
  const server = await startPrivateRedis();
  await compare(`redis: ${CALLERS} callers`, async () => {
    const prefix = `bench-${randomUUID()}`;
    return { connect: async () => createRedisBroker({ url: server.url, prefix }), close: async () => {} };
  });
  await server.stop();
}

if (isWanted('postgres')) {
  const server = await startPrivatePostgres(['shared_buffers=512MB', 'max_wal_size=8GB']);
  const admin = new pg.Pool({ connectionString: server.url, max: 2 });
  await compare(`postgres: ${CALLERS} callers`, async () => {
    const schema = `bench_${randomUUID().replaceAll('-', '')}`;
    await migrate(admin, { schema });
    return {
      connect: async () => createPostgresBroker({ url: server.url, schema }),
      close: () => admin.query(`drop schema ${schema} cascade`),
    };
  });
  await admin.end();
  await server.stop();
}

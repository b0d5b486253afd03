import { randomUUID } from 'node:crypto';
import type { BackendClasses, IQueueBackend, Job } from 'bullmq';
import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';
import type { Bench, Contender, Work } from './contender.ts';

/** BullMQ in its fastest documented configuration: ended jobs removed, no event stream, bulk calls. */
export function bullmq(port: number): Contender {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  return { name: 'BullMQ', open: async () => openBullmq({ Queue, Worker }, connection) };
}

/** The same on Postgres, with as many connections as the other contenders have. */
export function bullmqOnPostgres(url: string, schema: string): Contender {
  const connection = { connectionString: url, schema, max: 10, migrate: true };
  return {
    name: 'BullMQ on Postgres',
    open: async () => openBullmq(withBackend(createPostgresBackend), connection),
  };
}

/** Its classes, bound to one of its backends. */
type Classes<Connection> = Pick<BackendClasses<IQueueBackend, Connection>, 'Queue' | 'Worker'>;

async function openBullmq<Connection>(
  { Queue, Worker }: Classes<Connection>,
  connection: Connection,
): Promise<Bench> {
  const name = `bench-${randomUUID()}`;
  const queue = new Queue<number>(name, {
    connection,
    streams: { events: { maxLen: 0 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  });
  await queue.waitUntilReady();
  return {
    submit: (payload, options) => queue.add('bench', payload, { delay: options?.delayMs ?? 0 }),
    submitBulk: (payloads, { failures } = { failures: 0 }) =>
      queue.addBulk(payloads.map((data) => ({ name: 'bench', data, opts: { attempts: failures + 1 } }))),
    work: async (work) => {
      const worker = new Worker<number>(name, handlerOf(work), {
        connection,
        concurrency: work.concurrency,
        removeOnComplete: { count: 0 },
      });
      worker.on('completed', work.onDone);
      worker.on('error', () => {});
      return () => worker.close();
    },
    close: async () => {
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}

function handlerOf({ failures = 0, onStart }: Work): (job: Job<number>) => Promise<void> {
  return async ({ data, attemptsMade }) => {
    onStart?.(data);
    if (attemptsMade < failures) throw new Error('not yet');
  };
}

import { randomUUID } from 'node:crypto';
import type { Job } from 'bullmq';
import { Queue, Worker } from 'bullmq';
import type { Bench, Contender, Work } from './contender.ts';

/** BullMQ as its documentation says it is fastest: ended jobs removed, no event stream, bulk calls. */
export function bullmq(port: number): Contender {
  return { name: 'BullMQ', open: async () => openBullmq(port) };
}

async function openBullmq(port: number): Promise<Bench> {
  const connection = { host: '127.0.0.1', port, maxRetriesPerRequest: null };
  const name = `bench-${randomUUID()}`;
  const queue = new Queue(name, {
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

import type { JobsOptions, QueueOptions, WorkerOptions } from 'bullmq';
import { Queue, Worker } from 'bullmq';
import type { Bench, Contender, Payload, Place, SubmitWishes, Work } from './contender.ts';
import { taskName } from './contender.ts';

/** What its documentation recommends in production: ended jobs are removed, and the stream of events is cut. */
interface Settings {
  readonly queue: Partial<QueueOptions>;
  readonly worker: Partial<WorkerOptions>;
}

const DEFAULTS: Settings = { queue: {}, worker: {} };

const BEST: Settings = {
  queue: {
    streams: { events: { maxLen: 0 } },
    defaultJobOptions: { removeOnComplete: true, removeOnFail: true },
  },
  worker: { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } },
};

/** BullMQ on Redis. */
export function bullmq(settings: 'defaults' | 'best'): Contender {
  return { open: (place) => openBullmq(place, settings === 'best' ? BEST : DEFAULTS) };
}

async function openBullmq({ url, name }: Place, settings: Settings): Promise<Bench> {
  const connection = { host: '127.0.0.1', port: Number(new URL(url).port), maxRetriesPerRequest: null };
  const queue = new Queue<Payload>(name, { connection, ...settings.queue });
  queue.on('error', () => {});
  await queue.waitUntilReady();
  return {
    submit: (payload) => queue.add(taskName(0), payload),
    submitBulk: (payloads, wishes = {}) => {
      const opts = optionsOf(wishes);
      const task = taskName(wishes.task ?? 0);
      return queue.addBulk(payloads.map((data) => ({ name: task, data, opts })));
    },
    work: async ({ concurrency, handle, onDone }: Work) => {
      const worker = new Worker<Payload>(name, ({ data }) => handle(data), {
        connection,
        concurrency,
        ...settings.worker,
      });
      worker.on('completed', onDone);
      worker.on('error', () => {});
      return () => worker.close();
    },
    count: async () => {
      const counts = await queue.getJobCounts(
        'wait',
        'active',
        'delayed',
        'prioritized',
        'completed',
        'failed',
      );
      const { wait = 0, active = 0, delayed = 0, prioritized = 0, completed = 0, failed = 0 } = counts;
      if (failed > 0) throw new Error(`${failed} jobs failed`);
      const left = wait + active + delayed + prioritized;
      return settings === BEST ? { left } : { left, completed };
    },
    list: async ({ start, limit }) => (await queue.getJobs(['wait'], start, start + limit - 1, true)).length,
    close: () => queue.close(),
  };
}

function optionsOf({ dueAt, failures = 0 }: SubmitWishes): JobsOptions {
  return {
    ...(dueAt !== undefined && { delay: Math.max(dueAt - Date.now(), 0) }),
    ...(failures > 0 && { attempts: failures + 1 }),
  };
}

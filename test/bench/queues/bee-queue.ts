import BeeQueue from 'bee-queue';
import type { Bench, Contender, Payload, Place } from './contender.ts';

/** What its README says saves memory and traffic: no events, no jobs kept in the process or after their end. */
const BEST: BeeQueue.QueueSettings = {
  removeOnSuccess: true,
  removeOnFailure: true,
  storeJobs: false,
  sendEvents: false,
  getEvents: false,
};

/** bee-queue on Redis. */
export function beeQueue(settings: 'defaults' | 'best'): Contender {
  return { open: (place) => openBeeQueue(place, settings === 'best' ? BEST : {}) };
}

async function openBeeQueue({ url, name }: Place, settings: BeeQueue.QueueSettings): Promise<Bench> {
  const redis = { host: '127.0.0.1', port: Number(new URL(url).port) };
  // Without activateDelayedJobs it would never start a delayed job.
  const queue = new BeeQueue<Payload>(name, { redis, activateDelayedJobs: true, ...settings });
  queue.on('error', () => {});
  await queue.ready();
  return {
    submit: (payload) => queue.createJob(payload).save(),
    submitBulk: (payloads, { dueAt, failures = 0 } = {}) =>
      queue.saveAll(
        payloads.map((payload) => {
          const job = queue.createJob(payload).retries(failures);
          return dueAt === undefined ? job : job.delayUntil(dueAt);
        }),
      ),
    work: async ({ concurrency, handle, onDone }) => {
      queue.on('succeeded', onDone);
      queue.process(concurrency, ({ data }) => handle(data));
      return async () => {};
    },
    count: async () => {
      const { waiting, active, delayed, succeeded, failed } = await queue.checkHealth();
      if (failed > 0) throw new Error(`${failed} jobs failed`);
      const left = waiting + active + delayed;
      return settings === BEST ? { left } : { left, completed: succeeded };
    },
    list: async ({ start, limit }) =>
      (await queue.getJobs('waiting', { start, end: start + limit - 1 })).length,
    close: () => queue.close(5_000).catch(() => {}),
  };
}

import { randomUUID } from 'node:crypto';
import BeeQueue from 'bee-queue';
import type { Bench, Contender } from './contender.ts';

/** bee-queue in its fastest documented configuration: no events, ended jobs removed, bulk calls. */
export function beeQueue(port: number): Contender {
  return { name: 'bee-queue', open: async () => openBeeQueue(port) };
}

/** It takes 0 for no data. */
interface Data {
  readonly payload: number;
}

async function openBeeQueue(port: number): Promise<Bench> {
  const settings = {
    redis: { host: '127.0.0.1', port },
    removeOnSuccess: true,
    removeOnFailure: true,
    storeJobs: false,
    sendEvents: false,
    getEvents: false,
    activateDelayedJobs: true,
    // Its timer for delayed jobs; the default polls at most once a second.
    delayedDebounce: 1,
    nearTermWindow: 100,
  };
  const queue = new BeeQueue<Data>(`bench-${randomUUID()}`, { ...settings, isWorker: true });
  await queue.ready();
  const left = new Map<number, number>();
  return {
    submit: (payload, options) => {
      const job = queue.createJob({ payload });
      if (options !== undefined) job.delayUntil(Date.now() + options.delayMs);
      return job.save();
    },
    submitBulk: (payloads, { failures } = { failures: 0 }) =>
      queue.saveAll(payloads.map((payload) => queue.createJob({ payload }).retries(failures))),
    work: async ({ concurrency, failures = 0, onStart, onDone }) => {
      queue.on('succeeded', onDone);
      queue.on('error', () => {});
      queue.process(concurrency, async ({ data: { payload } }) => {
        onStart?.(payload);
        const failed = left.get(payload) ?? 0;
        left.set(payload, failed + 1);
        if (failed < failures) throw new Error('not yet');
      });
      return async () => {};
    },
    close: async () => {
      await queue.close(5_000).catch(() => {});
    },
  };
}

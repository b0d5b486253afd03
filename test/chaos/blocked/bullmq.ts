import { Queue, Worker } from 'bullmq';
import { CLEANER_MS, LEASE_MS } from './plan.ts';
import type { System } from './system.ts';
import { block } from './system.ts';

const ENDED = ['completed', 'failed'];

/** BullMQ with the settings of its documentation, but for a lock and a check that are as short as our lease and cleaner. */
export const bullmq: System = {
  open: async ({ address, name }) => {
    const queue = new Queue<number>(name, { connection: connectionTo(address) });
    queue.on('error', () => {});
    await queue.waitUntilReady();
    return {
      submit: async (blockMs) => (await queue.add('blocking', blockMs)).id ?? '',
      endOf: async (id) => {
        const state = await queue.getJobState(id);
        return ENDED.find((each) => each === state);
      },
      close: () => queue.close(),
    };
  },
  work: async ({ address, name }, note) => {
    const worker = new Worker<number>(
      name,
      async ({ id = '', data }) => {
        await note('start', id);
        block(data);
        await note('end', id);
      },
      { connection: connectionTo(address), lockDuration: LEASE_MS, stalledInterval: CLEANER_MS },
    );
    worker.on('stalled', (id) => void note('stalled', id));
    // A job that lost its lock: what its handler returned is not accepted.
    worker.on('error', ({ message }) => {
      const [, id] = /^Missing lock for job (\S+?)\.? /.exec(message) ?? [];
      if (id !== undefined) void note('fenced', id);
    });
    await worker.waitUntilReady();
    return {};
  },
};

function connectionTo(address: string) {
  return { host: '127.0.0.1', port: Number(new URL(address).port), maxRetriesPerRequest: null };
}

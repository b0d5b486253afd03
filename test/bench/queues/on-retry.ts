import type { Broker } from '@retry/core/broker';
import type { Task } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type { Contender, Work } from './contender.ts';

/** Prefetched runs, as docs/tasks.md recommends for very short handlers. */
const PREFETCH = 500;

/** Our own queue and worker over any broker; except for `prefetch`, with their defaults. */
export function contendOnRetry(
  name: string,
  open: () => Promise<{ readonly broker: Broker; readonly close: () => Promise<unknown> }>,
): Contender {
  return {
    name,
    open: async () => {
      const { broker, close } = await open();
      const queue = createQueue({ broker });
      const known = taskOf({ concurrency: 1, onDone: () => {} });
      return {
        submit: (payload, options) =>
          queue.submit(known, payload, options === undefined ? {} : { runAt: Date.now() + options.delayMs }),
        submitBulk: (payloads) => queue.submitMany(known, payloads),
        work: async (work) => {
          const { concurrency, onDone } = work;
          const worker = createWorker({
            broker,
            tasks: [taskOf(work)],
            concurrency,
            prefetch: PREFETCH,
            signals: [],
          });
          worker.on('completed', onDone);
          worker.start();
          return () => worker.stop();
        },
        close,
      };
    },
  };
}

function taskOf({ failures = 0, onStart }: Work): Task<number, void> {
  return defineTask({
    name: 'bench',
    retry: { maxAttempts: 3, backoff: { type: 'none' }, jitter: 'none' },
    run: (payload: number, { attempt }) => {
      onStart?.(payload);
      if (attempt <= failures) throw new Error('not yet');
    },
  });
}

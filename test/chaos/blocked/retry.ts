import type { TaskContext, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { engineOf } from '../engines.ts';
import { CLEANER_MS, FILLED_AT_ONCE, LEASE_MS, SAMPLE_CONCURRENCY } from './plan.ts';
import type { System } from './system.ts';
import { block } from './system.ts';

const EMPTY = { name: 'empty', run: (_: number): void => {} };

type Renewal = Pick<WorkerOptions, 'leaseRenewal' | 'maxBlock'>;

const ENDED = ['completed', 'failed', 'stalled', 'cancelled', 'dropped', 'rateLimited'];

function blockingTask(run: (blockMs: number, context: TaskContext) => Promise<void>) {
  return defineTask({ name: 'blocking', retry: { backoff: { type: 'none' }, jitter: 'none' }, run });
}

/** Our own worker, with its defaults but for the lease and who renews it. */
export function retry(renewal: Renewal): System {
  return {
    open: async ({ engine, address, name }) => {
      const broker = await engineOf(engine).connect(address, name);
      const queue = createQueue({ broker });
      const task = blockingTask(async () => {});
      const empty = defineTask(EMPTY);
      return {
        fill: async (count) => {
          await queue.hold(empty, { for: '10m', reason: 'until all are submitted' });
          for (let from = 0; from < count; from += FILLED_AT_ONCE) {
            const numbers = Array.from({ length: FILLED_AT_ONCE }, (_, index) => from + index);
            await queue.submitMany(empty, numbers);
          }
        },
        submit: async (blockMs) => (await queue.submit(task, blockMs)).id,
        endOf: async (id) => {
          const [run] = await broker.get([id]);
          return ENDED.find((state) => state === run?.state);
        },
        close: () => broker.close(),
      };
    },
    work: async ({ engine, address, name }, note) => {
      const broker = await engineOf(engine).connect(address, name);
      const queue = createQueue({ broker });
      const blocking = blockingTask(async (blockMs, { id }) => {
        await note('start', id);
        block(blockMs);
        await note('end', id);
      });
      const empty = defineTask(EMPTY);
      const worker = createWorker({
        broker,
        tasks: [blocking, empty],
        concurrency: SAMPLE_CONCURRENCY,
        lease: LEASE_MS,
        cleanerInterval: CLEANER_MS,
        signals: [],
        ...renewal,
      });
      let completed = 0;
      let onCompleted = (): void => {};
      worker.on('completed', () => {
        completed += 1;
        onCompleted();
      });
      worker.on('stalled', ({ id }) => void note('stalled', id));
      worker.on('fenced', ({ id }) => void note('fenced', id));
      worker.on('error', () => {});
      worker.start();
      return {
        rate: async (count) => {
          completed = 0;
          const startedAt = performance.now();
          const startedCpu = process.cpuUsage();
          const isDone = new Promise<void>((resolve) => {
            onCompleted = () => completed === count && resolve();
          });
          await queue.resume(empty);
          await isDone;
          const { user, system } = process.cpuUsage(startedCpu);
          const perSecond = (count / (performance.now() - startedAt)) * 1_000;
          return { perSecond, cpuUs: (user + system) / count };
        },
      };
    },
  };
}

import type { Broker } from '@retry/core/broker';
import type { Task } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';
import { taskName } from './contender.ts';

/** What a user may change of a worker; nothing means its defaults. */
export interface Settings {
  readonly prefetch?: number;
}

interface Opened {
  readonly broker: Broker;
  readonly close: () => Promise<unknown>;
}

/** Our own queue and worker over any broker, with their defaults but for the settings. */
export function contendOnRetry(open: (place: Place) => Promise<Opened>, settings: Settings): Contender {
  return { open: async (place) => benchOf(await open(place), settings) };
}

function benchOf({ broker, close }: Opened, settings: Settings): Bench {
  const queue = createQueue({ broker });
  const known = memoize((n) => taskOf(n, async () => {}));
  return {
    submit: (payload) => queue.submit(known(0), payload),
    submitBulk: (payloads, { dueAt, task = 0 } = {}) =>
      queue.submitMany(known(task), payloads, dueAt === undefined ? {} : { runAt: dueAt }),
    work: async (work) => {
      const tasks = Array.from({ length: work.tasks }, (_, n) => taskOf(n, work.handle, work));
      const worker = createWorker({ broker, tasks, concurrency: work.concurrency, signals: [], ...settings });
      worker.on('completed', work.onDone);
      worker.start();
      return () => worker.stop();
    },
    count: async () => {
      const { created, submitted, scheduled, started, ended, forgotten, unbalanced } = await queue.counts();
      if (unbalanced !== 0) throw new Error(`The audit says: ${unbalanced} unbalanced.`);
      const dead = ended.failed + ended.stalled + ended.rateLimited + ended.cancelled + ended.dropped;
      if (dead > 0)
        throw new Error(`The audit says: ${dead} of ${created} runs ended otherwise than completed.`);
      return { left: submitted + scheduled + started, completed: ended.completed + forgotten };
    },
    list: async ({ limit }) => (await broker.list({ state: 'submitted', limit })).runs.length,
    close,
  };
}

function taskOf(n: number, run: (payload: Payload) => Promise<void>, work?: Work): Task<Payload, void> {
  return defineTask({
    name: taskName(n),
    ...(work !== undefined &&
      work.failures > 0 && {
        retry: { maxAttempts: work.failures + 1, backoff: { type: 'none' }, jitter: 'none' } as const,
      }),
    run,
  });
}

function memoize<Value>(make: (n: number) => Value): (n: number) => Value {
  const made = new Map<number, Value>();
  return (n) => {
    const value = made.get(n) ?? make(n);
    made.set(n, value);
    return value;
  };
}

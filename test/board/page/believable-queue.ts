import { createMemoryBroker, type MemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask, type Queue, type Worker } from '@retry/worker';

/** Text that would run, turn or burst a careless page. */
export const HOSTILE = {
  markup: '<script>globalThis.hacked = 1</script><img src=x onerror="globalThis.hacked = 1">',
  rightToLeft: '\u202Eמשהו השתבש\u202C',
  long: 'x'.repeat(512),
} as const;

interface Order {
  readonly order: number;
  readonly fails?: string;
  /** What the board masks. */
  readonly cardToken?: string;
}

class CardError extends Error {
  override readonly name = 'CardError';
}

const soon = { maxAttempts: 2, backoff: { type: 'constant', base: 1 }, jitter: 'none' } as const;
const later = { maxAttempts: 8, backoff: { type: 'exponential', base: '1m' }, jitter: 'full' } as const;

function run({ fails }: Order): void {
  if (fails !== undefined) throw new CardError(fails);
}

/** Its runs have failed for good soon. */
export const mail = defineTask({ name: 'mail', version: '2', retry: soon, run });
const charge = defineTask({ name: 'charge', version: '1', retry: soon, run });
/** Its runs wait for their retries. */
export const sync = defineTask({ name: 'sync-stock', version: '1', retry: later, run });

/** The tasks of the queue. */
export const TASKS = [mail, charge, sync];

/** A queue with dead letters of several causes, retries that are due, a hold, and a worker that is alive. */
export interface BelievableQueue {
  readonly broker: MemoryBroker;
  readonly worker: Worker;
  /** Of another client than the board. */
  readonly queue: Queue;
  /** Adds one more dead letter. */
  failOnce(message: string): Promise<void>;
}

/** Fills a queue with a day's failures. @param mails - dead letters of one cause, beside 44 others */
export async function fillQueue({ mails = 140 } = {}): Promise<BelievableQueue> {
  // Of what has completed, no long payload is kept.
  const broker = createMemoryBroker({ keepCompleted: { bytes: 0 } });
  const queue = createQueue({ broker });
  const worker = createWorker({ broker, tasks: TASKS });
  worker.start();
  const submit = (task: typeof mail, count: number, fails: (order: number) => string | undefined) =>
    Promise.all(
      Array.from({ length: count }, (_, order) => {
        const message = fails(order);
        const card = task === charge && { cardToken: `tok-${order}` };
        return queue.submit(task, { order, ...(message !== undefined && { fails: message }), ...card });
      }),
    );
  const all = await Promise.all([
    submit(mail, mails, (order) => `order ${order}: mailbox of user${order}@example.com is full`),
    submit(charge, 38, (order) => `card of order ${order} was declined`),
    submit(charge, 3, () => HOSTILE.markup),
    submit(charge, 2, () => HOSTILE.rightToLeft),
    submit(mail, 1, () => HOSTILE.long),
    submit(mail, 200, () => undefined),
  ]);
  await submit(sync, 60, () => 'connect ECONNREFUSED 10.0.0.7:5432');
  await until(async () => (await broker.audit()).ended.failed === all.flat().length - 200);
  await queue.hold(charge, { reason: 'the bank is down', by: 'ada' });
  return {
    broker,
    worker,
    queue,
    failOnce: async (message) => {
      await queue.submit(mail, { order: 1, fails: message });
    },
  };
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 20));
}

import type { Queue, Worker } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import type { BrokerName } from '../brokers/open-broker.ts';
import { openBroker } from '../brokers/open-broker.ts';
import { formatTable } from '../table.ts';
import type { Bank, Tasks } from './tasks.ts';
import { defineTasks } from './tasks.ts';
import { watchCounts } from './watch-counts.ts';

const CONCURRENCY = 20;

/** Short, so that `--resume` finds the runs of a killed demo soon. */
const LEASE = '2s';

/**
 * Runs 500 tasks through a queue: retries, dead letters, a fix and a redrive. With `resume`, runs what is left of an
 * earlier demo that was killed.
 *
 * @returns whether the audit is balanced
 */
export async function runTasks(name: BrokerName, start: 'afresh' | 'resume'): Promise<boolean> {
  const bank: Bank = { isFixed: false };
  const tasks = defineTasks(bank);
  const { broker, where, close } = await openBroker(name, start);
  const queue = createQueue({ broker });
  const worker = createWorker({
    broker,
    tasks: Object.values(tasks),
    concurrency: CONCURRENCY,
    lease: LEASE,
  });
  try {
    if (start === 'afresh') await submitAll(queue, tasks);
    const verb = start === 'afresh' ? 'through' : 'resumed in';
    console.log(`500 tasks of three kinds ${verb} a queue ${where}, ${CONCURRENCY} at a time\n`);
    await work({ bank, tasks, queue, worker });
    return await printAudit(queue);
  } finally {
    await worker.stop();
    await close();
  }
}

interface Scene {
  readonly bank: Bank;
  readonly tasks: Tasks;
  readonly queue: Queue;
  readonly worker: Worker;
}

async function work({ bank, tasks, queue, worker }: Scene): Promise<void> {
  const finish = watchCounts(queue);
  worker.start();
  await worker.whenIdle();

  const dead = (await queue.deadLetters.list({ limit: 500 })).runs;
  const { name, message } = dead[0]?.errors.at(-1) ?? { name: 'nothing', message: '' };
  bank.isFixed = true;
  const redriven = await queue.deadLetters.redrive({ task: tasks.chargeCard, limit: 500 });
  await worker.whenIdle();

  const rows = await finish();
  for (const line of formatTable(['  ms', 'waiting', 'scheduled', 'started', 'completed', 'failed'], rows)) {
    console.log(line);
  }
  console.log(
    `\n${dead.length} dead letters (${name}: ${message}); after a fix ${redriven.length} were redriven`,
  );
}

async function submitAll(queue: Queue, { sendEmail, resizeImage, chargeCard }: Tasks): Promise<void> {
  const numbers = Array.from({ length: 200 }, (_, index) => index + 1);
  await queue.submitMany(
    sendEmail,
    numbers.map((number) => ({ to: `user-${number}@example.com` })),
  );
  await queue.submitMany(
    resizeImage,
    numbers.map((size) => ({ size })),
  );
  await queue.submitMany(
    chargeCard,
    numbers.slice(0, 100).map((amount) => ({ amount })),
  );
}

async function printAudit(queue: Queue): Promise<boolean> {
  const { created, ended, unbalanced } = await queue.counts();
  const isBalanced = unbalanced === 0 && created === 500 && ended.completed === 500;
  const verdict = isBalanced ? 'balanced' : 'NOT BALANCED';
  console.log(
    `submitted ${created}, completed ${ended.completed}, unbalanced ${unbalanced}\naudit: ${verdict}`,
  );
  return isBalanced;
}

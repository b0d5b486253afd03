import type { Broker } from '@retry/core/broker';
import type { Queue } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import { submitOrders } from '../shop/submit-orders.ts';
import { NOTIFIED, ORDERS } from './play-past.ts';
import type { DayTasks } from './tasks.ts';
import { listTasks } from './tasks.ts';

/** Each works on all tasks. */
const WORKERS = ['shop-1', 'shop-2', 'shop-3'] as const;

/** How soon the board sees what a worker has done. */
const REPORT_EVERY = '5s';

const SECOND_MS = 1_000;

/** Goes on with the day in real time: workers work, and orders come. @returns a function that ends it */
export function workOn(broker: Broker, tasks: DayTasks): () => Promise<void> {
  const workers = WORKERS.map((name) =>
    createWorker({
      ...{ broker, name, tasks: listTasks(tasks), concurrency: 8, signals: [] },
      // A report that runs is given back at once.
      ...{ cleanerInterval: REPORT_EVERY, shutdownTimeout: 0 },
    }),
  );
  for (const worker of workers) {
    worker.on('error', ({ error, doing }) => console.error(`${worker.name}, ${doing}: ${error}`));
    worker.start();
  }
  const stopTraffic = startTraffic(createQueue({ broker }), tasks);
  return async () => {
    await stopTraffic();
    await Promise.all(workers.map((worker) => worker.stop()));
  };
}

function startTraffic(queue: Queue, tasks: DayTasks): () => Promise<void> {
  let second = 0;
  let submitting: Promise<unknown> = Promise.resolve();
  const timer = setInterval(() => {
    second += 1;
    submitting = submitSecond(queue, tasks, second).catch((error) => {
      clearInterval(timer);
      console.error(`No more orders come: ${error}`);
    });
  }, SECOND_MS);
  return async () => {
    clearInterval(timer);
    await submitting;
  };
}

/** The orders of one second. */
async function submitSecond(queue: Queue, tasks: DayTasks, second: number): Promise<void> {
  await submitOrders(queue, tasks, { after: ordersBy(second - 1), upTo: ordersBy(second) });
  const order = NOTIFIED + second;
  await queue.submit(tasks.notifyPartner, { order }, { key: `order-${order}` });
  if (second % 8 === 1) await queue.submit(tasks.buildReport, { report: second });
}

function ordersBy(second: number): typeof ORDERS {
  return {
    sendReceipt: ORDERS.sendReceipt + second * 3,
    chargeCard: ORDERS.chargeCard + second,
    importOrder: ORDERS.importOrder + Math.floor(second / 4),
    reserveStock: ORDERS.reserveStock + Math.floor(second / 2),
  };
}

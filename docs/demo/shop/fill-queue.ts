import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { Queue, Worker } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import { submitOrders } from './submit-orders.ts';
import type { ShopTasks } from './tasks.ts';
import { defineShopTasks } from './tasks.ts';

/** The number of runs that are submitted: those that are worked on, and those that stay. */
export const SUBMITTED = 5_000;

/** How many runs of each task are worked on. */
const WORKED = { sendReceipt: 2_500, chargeCard: 1_500, importOrder: 600, reserveStock: 200 } as const;

/** How many runs wait in a lane on hold, and how many are due tomorrow: the others of the submitted ones. */
const HELD = 150;
const SCHEDULED = 50;

const CONCURRENCY = 50;

/** Receives how many runs have ended, and how many will. */
export type OnEnded = (ended: number, total: number) => void;

/** What is filled, and how time passes. */
export interface Filling {
  readonly broker: Broker;
  /** Is called after each run that has ended. */
  readonly onEnded?: OnEnded;
  /** Another one than the runtime's, for tests. */
  readonly clock?: Clock;
  /** Draws the delays, for tests. */
  readonly random?: () => number;
}

/**
 * Fills a queue with a morning of a shop: of 4 800 runs most complete, and some die of three causes; 150 wait in a lane on hold, 50
 * are due tomorrow. Ids and failures are the same each time.
 */
export async function fillQueue({ broker, onEnded = () => {}, ...times }: Filling): Promise<void> {
  const tasks = defineShopTasks({ clock: times.clock });
  const queue = createQueue({ broker, clock: times.clock });
  const total = await submitOrders(queue, tasks, { upTo: WORKED });
  const { sendNewsletter: _, ...known } = tasks;
  const worker = createWorker({ broker, tasks: Object.values(known), concurrency: CONCURRENCY, ...times });
  await workUntil(total, worker, onEnded).finally(() => worker.stop());
  await leaveWaiting(queue, tasks);
}

/** Resolves when so many runs have ended. */
function workUntil(total: number, worker: Worker, onEnded: OnEnded): Promise<void> {
  return new Promise((resolve, reject) => {
    let ended = 0;
    const onEnd = (): void => {
      ended += 1;
      onEnded(ended, total);
      if (ended === total) resolve();
    };
    worker.on('completed', onEnd);
    worker.on('failed', onEnd);
    worker.on('error', ({ error }) => reject(error));
    worker.start();
  });
}

async function leaveWaiting(queue: Queue, { sendNewsletter, sendReceipt }: ShopTasks): Promise<void> {
  const people = Array.from({ length: HELD }, (_, index) => index + 1);
  await queue.submitMany(
    sendNewsletter,
    people.map((person) => ({ to: `person-${person}@example.com` })),
    { each: (_, index) => ({ key: `person-${index + 1}` }) },
  );
  await queue.hold(sendNewsletter, { by: 'ada', reason: 'the text is being checked' });
  const later = Array.from({ length: SCHEDULED }, (_, index) => ({ order: 9_001 + index }));
  await queue.submitMany(sendReceipt, later, {
    delay: '1d',
    each: ({ order }) => ({ key: `order-${order}` }),
  });
}

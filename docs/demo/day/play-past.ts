import type { Queue } from '@retry/worker';
import { createQueue, createWorker } from '@retry/worker';
import { createRandom } from '../requests/seeded-random.ts';
import type { OrderCounts } from '../shop/submit-orders.ts';
import { submitOrders } from '../shop/submit-orders.ts';
import type { Past } from './open-day.ts';
import type { DayEvents, DayTasks } from './tasks.ts';
import { defineDayTasks, listTasks } from './tasks.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How much of the day has passed when the board opens. */
export const PAST_MS = 24 * HOUR_MS;

/** The orders of the whole day. */
export const ORDERS: OrderCounts = {
  sendReceipt: 1_200,
  chargeCard: 1_500,
  importOrder: 600,
  reserveStock: 600,
};

/** Returns when what happens on a day that ends now. @param endAt - in epoch milliseconds */
export function eventsOf(endAt: number): DayEvents {
  return {
    warehouseAnswersAt: endAt - 20 * MINUTE_MS,
    firstPartnersAt: endAt - 3 * HOUR_MS,
    stormAt: endAt - 12 * MINUTE_MS,
  };
}

/** What the past is played on, and when it ends. */
export interface Playing {
  readonly past: Past;
  readonly endAt: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
  /** Is called with how much of the day has happened, and how much will. */
  readonly onHappened?: (happened: number, total: number) => void;
}

/** Plays the day until now: orders come and fail, people hold lanes and plan redrives, and at last a storm begins. */
export async function playPast({ past, endAt, signal, onHappened = () => {} }: Playing): Promise<void> {
  const { broker, clock, now, advance } = past;
  const tasks = defineDayTasks(eventsOf(endAt), { now, clock });
  const queue = createQueue({ broker, clock });
  const worker = createWorker({
    ...{ broker, clock, tasks: listTasks(tasks), name: 'shop-0', concurrency: 50, signals: [] },
    // Nothing crashes here, so that nothing has to be asked often.
    ...{ lease: '6h', pollInterval: '1h', cleanerInterval: '1h', random: createRandom(7) },
  });
  worker.start();
  const happenings = listHappenings({ queue, tasks, endAt });
  for (const [index, { at, happen }] of happenings.entries()) {
    signal.throwIfAborted();
    await advance(Math.max(at - now(), 0));
    await underWay(happen(), past);
    onHappened(index + 1, happenings.length);
  }
  await advance(Math.max(endAt - now(), 0));
  await underWay(worker.stop(), past);
}

interface Scenery {
  readonly queue: Queue;
  readonly tasks: DayTasks;
  readonly endAt: number;
}

interface Happening {
  readonly at: number;
  readonly happen: () => Promise<unknown>;
}

/** Everything that happens before the present, in order. */
function listHappenings(scenery: Scenery): readonly Happening[] {
  const all = [...listOrders(scenery), ...listNotices(scenery), ...listActs(scenery)];
  return all.sort((one, other) => one.at - other.at);
}

const SLICE_MS = 15 * MINUTE_MS;

/** Orders come each quarter of an hour, most of them in the afternoon. */
function listOrders({ queue, tasks, endAt }: Scenery): readonly Happening[] {
  const startAt = endAt - PAST_MS;
  const slices = Array.from({ length: PAST_MS / SLICE_MS }, (_, index) => startAt + index * SLICE_MS);
  const weights = slices.map(weightOf);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let passed = 0;
  let after = shareOf(0);
  return slices.map((at, index) => {
    passed += weights[index] ?? 0;
    const orders = { after, upTo: shareOf(passed / total) };
    after = orders.upTo;
    return { at, happen: () => submitOrders(queue, tasks, orders) };
  });
}

function weightOf(at: number): number {
  const hour = new Date(at).getHours();
  return 0.2 + Math.max(Math.sin((Math.PI * (hour - 6)) / 18), 0);
}

function shareOf(share: number): OrderCounts {
  const part = (name: keyof OrderCounts): number => Math.round(ORDERS[name] * share);
  return {
    sendReceipt: part('sendReceipt'),
    chargeCard: part('chargeCard'),
    importOrder: part('importOrder'),
    reserveStock: part('reserveStock'),
  };
}

/** How often a partner is told of an order: seldom, and when it matters. */
const NOTICES = [
  { fromMs: 3 * HOUR_MS, toMs: 15 * MINUTE_MS, everyMs: 20_000 },
  { fromMs: 15 * MINUTE_MS, toMs: 0, everyMs: 2_000 },
] as const;

/** How many partners are told of an order in the past. */
export const NOTIFIED = NOTICES.reduce(
  (sum, { fromMs, toMs, everyMs }) => sum + (fromMs - toMs) / everyMs,
  0,
);

function listNotices({ queue, tasks, endAt }: Scenery): readonly Happening[] {
  const times = NOTICES.flatMap(({ fromMs, toMs, everyMs }) =>
    Array.from({ length: (fromMs - toMs) / everyMs }, (_, index) => endAt - fromMs + index * everyMs),
  );
  return times.map((at, index) => ({
    at,
    happen: () => queue.submit(tasks.notifyPartner, { order: index + 1 }, { key: `order-${index + 1}` }),
  }));
}

/** What people do. */
function listActs({ queue, tasks, endAt }: Scenery): readonly Happening[] {
  const { importOrder, reserveStock, sendNewsletter, sendStatement } = tasks;
  const submitLater = (count: number, delayMs: number) =>
    queue.submitMany(
      sendStatement,
      Array.from({ length: count }, (_, index) => ({ customer: index + 1 })),
      { delay: delayMs, each: ({ customer }) => ({ key: `customer-${customer}-in-${delayMs}` }) },
    );
  return [
    {
      at: endAt - 14 * HOUR_MS,
      happen: async () => {
        const plan = await queue.deadLetters.plan({ task: importOrder });
        await plan.apply({ kind: 'discard', by: 'grace', reason: 'the orders were entered again' });
      },
    },
    {
      at: endAt - 3 * HOUR_MS,
      happen: async () => {
        const people = Array.from({ length: 150 }, (_, index) => ({ to: `person-${index + 1}@example.com` }));
        await queue.hold(sendNewsletter, { by: 'ada', reason: 'the text is being checked' });
        await queue.submitMany(sendNewsletter, people, { each: ({ to }) => ({ key: to }) });
      },
    },
    { at: endAt - 2 * HOUR_MS, happen: () => submitLater(240, 7 * HOUR_MS) },
    { at: endAt - 110 * MINUTE_MS, happen: () => submitLater(120, 15 * HOUR_MS) },
    {
      at: endAt - 26 * MINUTE_MS,
      happen: async () => {
        await submitLater(80, 33 * MINUTE_MS);
        await submitLater(60, 0);
        await queue.hold(sendStatement, { by: 'grace', reason: 'the totals are being compared', for: '31m' });
      },
    },
    {
      at: endAt - 10 * MINUTE_MS,
      happen: async () => {
        const plan = await queue.deadLetters.plan({ task: reserveStock });
        await plan.apply({ spread: '40m', by: 'ada', reason: 'the warehouse answers again' });
      },
    },
  ];
}

/** Lets time pass until it is done. */
async function underWay<Value>(work: Promise<Value>, { advance }: Past): Promise<Value> {
  let isDone = false;
  const mark = (): void => {
    isDone = true;
  };
  work.then(mark, mark);
  while (!isDone) await advance(1);
  return work;
}

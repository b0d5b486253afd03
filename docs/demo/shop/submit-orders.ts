import type { Queue } from '@retry/worker';
import type { ShopTasks } from './tasks.ts';

/** How many orders there are for each task; they are numbered from 1 on. */
export type OrderCounts = Readonly<
  Record<'sendReceipt' | 'chargeCard' | 'importOrder' | 'reserveStock', number>
>;

/** Which orders to submit. */
export interface Orders {
  /** Those that were submitted before. @default none */
  readonly after?: OrderCounts;
  readonly upTo: OrderCounts;
}

const NONE: OrderCounts = { sendReceipt: 0, chargeCard: 0, importOrder: 0, reserveStock: 0 };

/** Submits orders of the shop, each under a key of its number. @returns how many runs were submitted */
export async function submitOrders(
  queue: Queue,
  { sendReceipt, chargeCard, importOrder, reserveStock }: ShopTasks,
  { after = NONE, upTo }: Orders,
): Promise<number> {
  const each = ({ order }: { readonly order: number }) => ({ key: `order-${order}` });
  const orders = (name: keyof OrderCounts) =>
    Array.from({ length: upTo[name] - after[name] }, (_, index) => ({ order: after[name] + index + 1 }));
  await queue.submitMany(reserveStock, orders('reserveStock'), { each });
  await queue.submitMany(
    importOrder,
    orders('importOrder').map(({ order }) => ({
      order,
      quantity: order % 9 === 4 ? 0 : (order % 4) + 1,
    })),
    { each },
  );
  await queue.submitMany(
    chargeCard,
    orders('chargeCard').map(({ order }) => ({ order, cents: 500 + ((order * 137) % 9_000) })),
    { each },
  );
  await queue.submitMany(sendReceipt, orders('sendReceipt'), { each });
  return sumOf(upTo) - sumOf(after);
}

function sumOf(counts: OrderCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

import { setTimeout } from 'node:timers/promises';
import type { Clock } from '@retry/core';
import type { Task } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { HttpError, TimeoutError, ValidationError } from './errors.ts';

/** An order of the shop. The number alone decides what becomes of it, so that each filled queue has the same failures. */
export interface Order {
  readonly order: number;
}

/** The tasks of the shop. */
export interface ShopTasks {
  readonly sendReceipt: Task<Order, string>;
  readonly chargeCard: Task<Order & { readonly cents: number }, string>;
  readonly importOrder: Task<Order & { readonly quantity: number }, void>;
  readonly reserveStock: Task<Order, void>;
  /** No worker of the shop knows it. */
  readonly sendNewsletter: Task<{ readonly to: string }, void>;
}

/** What the tasks depend on. */
export interface ShopWorld {
  /** Another one than the runtime's. */
  readonly clock?: Clock | undefined;
  /** Whether the warehouse answers every request by now. @default never */
  readonly warehouseAnswers?: () => boolean;
}

/** One that always succeeds, and three of which some fail: each in its own way, retried by its own policy. */
export function defineShopTasks({ clock, warehouseAnswers = () => false }: ShopWorld = {}): ShopTasks {
  const work = (ms: number): Promise<void> => waitFor(ms, clock);
  return {
    sendReceipt: defineTask({
      name: 'send-receipt',
      run: async ({ order }: Order) => {
        await work(2);
        return `receipt of order ${order} sent`;
      },
    }),
    chargeCard: defineTask({
      name: 'charge-card',
      version: '2',
      retry: { maxAttempts: 3, backoff: { type: 'exponential', base: '100ms' }, jitter: 'equal' },
      run: async ({ order }, { attempt }) => {
        await work(order % 7);
        const isDown = order % 12 === 0 || (order % 5 === 0 && attempt === 1);
        if (isDown) throw new HttpError(503, `payments answered 503, request req_${idOf(order, attempt)}`);
        return `charge-${idOf(order, attempt)}`;
      },
    }),
    importOrder: defineTask({
      name: 'import-order',
      retry: { maxAttempts: 5, stopOn: [{ name: 'ValidationError' }] },
      run: async ({ order, quantity }) => {
        if (quantity < 1) throw new ValidationError(`order ${order}: quantity is ${quantity}`);
        await work(1);
      },
    }),
    reserveStock: defineTask({
      name: 'reserve-stock',
      retry: { maxAttempts: 4, backoff: { type: 'constant', base: '150ms' }, jitter: 'equal' },
      run: async ({ order }, { attempt }) => {
        await work(5);
        if (order % 6 === 0 && !warehouseAnswers())
          throw new TimeoutError(`no answer in 5ms, trace ${idOf(order, attempt)}`);
      },
    }),
    sendNewsletter: defineTask({ name: 'send-newsletter', run: async () => {} }),
  };
}

/** Work that takes some milliseconds; by the runtime's clock the signal ends it. */
export function waitFor(ms: number, clock: Clock | undefined, signal?: AbortSignal): Promise<void> {
  if (clock === undefined) return setTimeout(ms, undefined, { signal });
  return new Promise((resolve) => void clock.setTimer(resolve, ms));
}

/** An id as other services give it: another one for each attempt. */
export function idOf(order: number, attempt: number): string {
  return `${order.toString(16).padStart(4, '0')}f${attempt}`;
}

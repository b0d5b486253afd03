import type { Clock } from '@retry/core';
import type { AnyTask, Task } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { HttpError } from '../shop/errors.ts';
import type { Order, ShopTasks } from '../shop/tasks.ts';
import { defineShopTasks, idOf, waitFor } from '../shop/tasks.ts';

/** The tasks of the shop on the day that the board shows. */
export interface DayTasks extends ShopTasks {
  /** Tells a partner of each order: those of the storm. */
  readonly notifyPartner: Task<Order, string>;
  readonly sendStatement: Task<{ readonly customer: number }, void>;
  /** Takes long, so that something is always running. */
  readonly buildReport: Task<{ readonly report: number }, void>;
}

/** When what happens, in epoch milliseconds. */
export interface DayEvents {
  /** From then on the warehouse answers every request. */
  readonly warehouseAnswersAt: number;
  /** Since then no partner answers. */
  readonly stormAt: number;
  /** Since then every seventh partner does not answer. */
  readonly firstPartnersAt: number;
}

/** By which time the tasks work. */
export interface DayTime {
  readonly now: () => number;
  /** Another one than the runtime's. */
  readonly clock?: Clock;
}

const REPORT_MS = 20_000;

/** Defines the tasks of the day. */
export function defineDayTasks(events: DayEvents, { now, clock }: DayTime): DayTasks {
  const shop = defineShopTasks({ clock, warehouseAnswers: () => now() >= events.warehouseAnswersAt });
  const isSilent = (order: number): boolean =>
    now() >= (order % 7 === 0 ? events.firstPartnersAt : events.stormAt);
  return {
    ...shop,
    notifyPartner: defineTask({
      name: 'notify-partner',
      retry: {
        maxAttempts: 12,
        backoff: { type: 'exponential', base: '20s' },
        maxDelay: '6h',
        jitter: 'equal',
      },
      run: async ({ order }, { attempt }) => {
        await waitFor(3, clock);
        if (!isSilent(order)) return `partner has order ${order}`;
        const cause = new Error(`connect ECONNREFUSED 10.0.${order % 7}.12:8443`);
        const message = `partner gateway answered 502, request req_${idOf(order, attempt)}`;
        throw new HttpError(502, message, { cause });
      },
    }),
    sendStatement: defineTask({ name: 'send-statement', run: () => waitFor(2, clock) }),
    buildReport: defineTask({
      name: 'build-report',
      run: (_, { signal }) => waitFor(REPORT_MS, clock, signal),
    }),
  };
}

/** The tasks as a worker and the board take them. */
export function listTasks(tasks: DayTasks): readonly AnyTask[] {
  return Object.values(tasks);
}

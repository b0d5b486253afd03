import type { Clock } from '@retry/core';
import type { Broker, ExchangeReply, ExchangeRequest } from '@retry/core/broker';
import { closedError } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import { auditStore } from './audit.ts';
import { cancelRun } from './cancel-run.ts';
import { claimRuns, nextDueAt } from './claims.ts';
import { discardRun, redriveRun } from './ended-runs.ts';
import { beat, findExpiredRuns } from './leases.ts';
import { listRuns } from './list-runs.ts';
import { settleRuns } from './settle-runs.ts';
import type { Store } from './store.ts';
import { createStore, readNow } from './store.ts';
import { submitRun } from './submit-runs.ts';
import { waitForWork } from './waiters.ts';

/** Options of a memory broker. Every key is optional. */
export interface MemoryBrokerOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock;
  /**
   * How many completed, cancelled, dropped and disposable runs are kept, all together and the latest of them,
   * ≥ 0; `Infinity` keeps all. Other runs that failed, stalled or were rate limited are kept until they are
   * redriven or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number;
}

/**
 * A broker that keeps its runs in this process: the reference of what every broker does. What it keeps ends
 * with the process.
 */
export function createMemoryBroker({
  clock = systemClock,
  keepCompleted = 1_000,
}: MemoryBrokerOptions = {}): Broker {
  const store = createStore(clock, keepCompleted);
  const { call, each, close } = createGate(store);
  return {
    submit: (submissions) => each(submissions, (submission, now) => submitRun(store, submission, now)),
    exchange: (request) => call((now) => exchange(store, request, now)),
    heartbeat: (beats, leaseMs) => each(beats, (asked, now) => beat(store, asked, { now, leaseMs })),
    findExpired: (limit) => call((now) => findExpiredRuns(store, limit, now)),
    cancel: (ids) => each(ids, (id, now) => cancelRun(store, id, now)),
    redrive: (ids, options) => each(ids, (id, now) => redriveRun(store, id, { ...options, now })),
    discard: (ids) => each(ids, (id) => discardRun(store, id)),
    get: (ids) => each(ids, (id) => store.entries.get(id)?.run),
    list: (query) => call(() => listRuns(store, query)),
    waitForWork: (lanes, wait) => call(() => waitForWork(store, lanes, wait)),
    audit: () => call(() => auditStore(store)),
    close,
  };
}

function exchange(store: Store, { settle = [], claim }: ExchangeRequest, now: number): ExchangeReply {
  const settled = settleRuns(store, settle, now);
  if (claim === undefined) return { settled, claimed: [], now };
  const claimed = claimRuns(store, claim, now);
  const nextRunAt = nextDueAt(store, claim.lanes.keys());
  return nextRunAt === undefined ? { settled, claimed, now } : { settled, claimed, now, nextRunAt };
}

interface Gate {
  /** Answers once for all, at one instant. */
  readonly call: <Answer>(answer: (now: number) => Answer | Promise<Answer>) => Promise<Answer>;
  /** Answers for each item, all at one instant. */
  readonly each: <Item, Answer>(
    items: readonly Item[],
    answer: (item: Item, now: number) => Answer,
  ) => Promise<readonly Answer[]>;
  readonly close: () => Promise<void>;
}

/** Every call passes here, until the broker is closed. */
function createGate(store: Store): Gate {
  let isClosed = false;
  const call: Gate['call'] = async (answer) => {
    if (isClosed) throw closedError('memory');
    return answer(readNow(store));
  };
  return {
    call,
    each: (items, answer) => call((now) => items.map((item) => answer(item, now))),
    close: async () => {
      isClosed = true;
      for (const finish of store.waits) finish();
    },
  };
}

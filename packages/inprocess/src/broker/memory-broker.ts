import type { Clock, Duration } from '@retry/core';
import type { Broker, ExchangeReply, ExchangeRequest } from '@retry/core/broker';
import { checkInput, closedError, isRefusedInput } from '@retry/core/broker';
import { readOptions } from '@retry/core/fields';
import { systemClock } from '../clock.ts';
import { A_CLOCK } from '../option-rules.ts';
import { attend } from './attendance.ts';
import { auditStore } from './audit.ts';
import { cancelRun, onCancelRequest } from './cancel-run.ts';
import { claimRuns, nextDueAt } from './claims.ts';
import { discardRun, expireKept, getRun, redriveRun } from './ended-runs.ts';
import { beat, findExpiredRuns, isCancelRequested } from './leases.ts';
import { listRuns } from './list-runs.ts';
import { settleRuns } from './settle-runs.ts';
import type { Store } from './store.ts';
import { createStore, readNow } from './store.ts';
import { submitRun } from './submit-runs.ts';
import { waitForResult, waitForWork } from './waiters.ts';

const DAY_MS = 86_400_000;

/** Options of a memory broker. Every key is optional. */
export interface MemoryBrokerOptions {
  /** @default the runtime's own clock */
  readonly clock?: Clock | undefined;
  /**
   * How many completed, cancelled, dropped and disposable runs are kept, all together and the latest of them,
   * ≥ 0; `Infinity` keeps all. Other runs that failed, stalled or were rate limited are kept until they are
   * redriven or discarded.
   *
   * @default 1000
   */
  readonly keepCompleted?: number | undefined;
  /**
   * How long the name that a caller gave to a run stays known after the run ended, should the run be forgotten before.
   *
   * @default '1d'
   */
  readonly keepKeys?: Duration | undefined;
}

/**
 * A broker that keeps its runs in this process: the reference of what every broker does. What it keeps ends
 * with the process.
 *
 * @throws {InvalidOptionsError} listing every option that is unknown or wrong
 */
export function createMemoryBroker(options?: MemoryBrokerOptions): Broker {
  const store = createStore(readMemoryOptions(options));
  const { call, each, close } = createGate(store);
  return checkInput({
    submit: (submissions) => each(submissions, (submission, now) => submitRun(store, submission, now)),
    settleAndClaim: (request) => call((now) => exchange(store, request, now)),
    heartbeat: (beats, leaseMs) => each(beats, (asked, now) => beat(store, asked, { now, leaseMs })),
    findExpired: (limit, scope) => call((now) => findExpiredRuns(store, { ...scope, limit }, now)),
    cancel: (ids) => each(ids, (id, now) => cancelRun(store, id, now)),
    findCancelRequests: (leases) => call(() => leases.filter((lease) => isCancelRequested(store, lease))),
    onCancelRequest: (listener) => onCancelRequest(store, listener),
    redrive: (ids, options) => each(ids, (id, now) => redriveRun(store, id, { ...options, now })),
    discard: (ids) => each(ids, (id) => discardRun(store, id)),
    get: (ids, options) => each(ids, (id) => getRun(store, id, options)),
    list: (query) => call(() => listRuns(store, query)),
    waitForWork: (lanes, wait) => call(() => waitForWork(store, lanes, wait)),
    waitForResult: (wait) => call(() => waitForResult(store, wait)),
    attend: (attendance) => call((now) => attend(store, attendance, now)),
    audit: () => call(() => auditStore(store)),
    isRefusal: isRefusedInput,
    close,
  });
}

function readMemoryOptions(options: unknown): Pick<Store, 'clock' | 'keepCompleted' | 'keepKeysMs'> {
  const keys = ['clock', 'keepCompleted', 'keepKeys'];
  return readOptions(options, { subject: 'memory broker', keys }, (fields) => {
    const clock = fields.optional('clock', A_CLOCK) as Clock | undefined; // the rule has looked at it
    return {
      clock: clock ?? systemClock,
      keepCompleted: fields.number('keepCompleted', 1_000, {
        accepts: (count) => count === Infinity || (Number.isInteger(count) && count >= 0),
        message: 'must be an integer ≥ 0 or Infinity',
        cure: 'Use 0 to keep none, Infinity to keep all.',
      }),
      keepKeysMs: fields.duration('keepKeys', DAY_MS),
    };
  });
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
    const now = readNow(store);
    expireKept(store, now);
    return answer(now);
  };
  return {
    call,
    each: (items, answer) => call((now) => items.map((item) => answer(item, now))),
    close: async () => {
      isClosed = true;
      for (const finish of [...store.waits, ...store.resultWaits]) finish();
    },
  };
}

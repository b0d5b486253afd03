import type { Broker } from '@retry/core/broker';
import { checkInput, closedError, isRefusedInput } from '@retry/core/broker';
import type { MemoryBrokerOptions } from './options.ts';
import { readMemoryBrokerOptions } from './options.ts';
import { expireKept } from './record/ended-runs.ts';
import type { Store } from './record/store.ts';
import { createStore, readNow } from './record/store.ts';
import { attend } from './verbs/attend.ts';
import { auditStore } from './verbs/audit.ts';
import { cancelRun, isCancelRequested, onCancelRequest } from './verbs/cancel.ts';
import { discardRun } from './verbs/discard.ts';
import { findExpiredRuns } from './verbs/find-expired.ts';
import { getRun } from './verbs/get.ts';
import { extendLease } from './verbs/heartbeat.ts';
import { listRuns } from './verbs/list.ts';
import { redriveRun } from './verbs/redrive.ts';
import { settleAndClaim } from './verbs/settle-and-claim.ts';
import { submitRun } from './verbs/submit.ts';
import { waitForResult, waitForWork } from './wake/waits.ts';

/**
 * Creates a broker that keeps its runs in this process, and loses them with it: for tests, for development, and as the
 * reference for other brokers.
 *
 * @throws {InvalidOptionsError} listing every option that is unknown or wrong
 */
export function createMemoryBroker(options?: MemoryBrokerOptions): Broker {
  const store = createStore(readMemoryBrokerOptions(options));
  const { call, each, close } = createGate(store);
  return checkInput({
    ready: () => call(() => undefined),
    submit: (submissions) => each(submissions, (submission, now) => submitRun(store, submission, now)),
    settleAndClaim: (request) => call((now) => settleAndClaim(store, request, now)),
    heartbeat: (beats, leaseMs) => each(beats, (lease, now) => extendLease(store, lease, { now, leaseMs })),
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

interface Gate {
  /** Answers one call, at one instant. */
  readonly call: <Answer>(answer: (now: number) => Answer | Promise<Answer>) => Promise<Answer>;
  /** Answers each item of a call, all at one instant. */
  readonly each: <Item, Answer>(
    items: readonly Item[],
    answer: (item: Item, now: number) => Answer,
  ) => Promise<readonly Answer[]>;
  readonly close: () => Promise<void>;
}

/** Passes the calls until the broker is closed. */
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

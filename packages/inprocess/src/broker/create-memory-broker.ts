import type { AsyncDispose } from '@retry/core';
import type { Broker, Notes } from '@retry/core/broker';
import type { AttendanceSource } from '@retry/core/broker/kit';
import {
  attendBy,
  checkInput,
  createCloseGate,
  figuresBy,
  getBy,
  isRefusedInput,
} from '@retry/core/broker/kit';
import { systemClock, yieldToEventLoop } from '../time/clock.ts';
import type { MemoryBrokerOptions } from './options.ts';
import { readMemoryBrokerOptions } from './options.ts';
import { expireKept } from './record/ended-runs.ts';
import { namesOfWaiting } from './record/lanes.ts';
import type { Store } from './record/store.ts';
import { createStore, followWallClock, readNow } from './record/store.ts';
import { countDepths } from './verbs/attend.ts';
import { auditStore } from './verbs/audit.ts';
import { changeRun, changeWithNotes } from './verbs/change.ts';
import { exchange } from './verbs/exchange.ts';
import { createFigures } from './verbs/figures.ts';
import { findExpiredRuns } from './verbs/find-expired.ts';
import { getRun, readRuns } from './verbs/get.ts';
import { extendLease } from './verbs/heartbeat.ts';
import { listRuns } from './verbs/list.ts';
import { createNotes } from './verbs/notes.ts';
import { reserve } from './verbs/reserve.ts';
import { submitRun } from './verbs/submit.ts';
import { waitFor } from './wake/waits.ts';

/**
 * How many calls are answered before the event loop has a turn. An answer comes without one, so a loop that awaits call after call
 * would never let a timer, a socket or a handler run, as it does with a server. With a clock of the user's nothing waits: a test
 * clock moves on after some turns.
 */
const CALLS_BEFORE_TURN = 64;

/** A broker in this process. Made by `createMemoryBroker`. `await using` closes it. */
export interface MemoryBroker extends Broker, AsyncDispose {
  /** Resolves immediately; rejects after `close`. */
  readonly ready: () => Promise<void>;
}

/**
 * Creates a broker that keeps its runs in this process, and loses them with it: for tests, for development, and as the
 * reference for other brokers.
 *
 * @throws {InvalidOptionsError} listing every option that is unknown or wrong
 */
export function createMemoryBroker(options?: MemoryBrokerOptions): MemoryBroker {
  const store = createStore(readMemoryBrokerOptions(options));
  const gate = createGate(store);
  const { call, each, isClosed, close } = gate;
  const notes = createNotes(store, call);
  return checkInput<Omit<MemoryBroker, keyof AsyncDispose>>({
    ready: () => call(() => undefined),
    submit: (submissions) => each(submissions, (submission, now) => submitRun(store, submission, now)),
    exchange: (request) => call((now) => exchange(store, request, now)),
    heartbeat: (beats, leaseMs) => each(beats, (lease, now) => extendLease(store, lease, { now, leaseMs })),
    findExpired: (limit, scope) => call((now) => findExpiredRuns(store, { ...scope, limit }, now)),
    reserve: (requests) => each(requests, (request, now) => reserve(store, request, now)),
    ...changes(store, gate),
    get: getBy({
      runs: (ids, options) => each(ids, (id) => getRun(store, id, options)),
      seen: (ids) => call((now) => readRuns(store, ids, now)),
    }),
    list: (query) => call(() => listRuns(store, query)),
    // It may have been closed while the call waited for its turn: nothing would end the wait.
    wait: (request) => call(() => (isClosed() ? undefined : waitFor(store, request))),
    attend: (attendance) => attendBy(attendanceSource(store, gate, notes), attendance),
    audit: () => call(() => auditStore(store)),
    ...{ notes, figures: figuresBy(createFigures(store, call, notes)) },
    facts: { heartbeats: 'not-needed' },
    isRefusal: isRefusedInput,
    close,
  });
}

/** The verbs by which runs that no worker holds are changed. */
function changes(store: Store, { call, each }: Gate) {
  return {
    change: (given, { notes } = {}) =>
      notes === undefined
        ? each(given, (change) => changeRun(store, change))
        : call((now) => changeWithNotes(store, { changes: given, notes }, now)),
  } satisfies Partial<Broker>;
}

/** What is known of lanes and workers. */
function attendanceSource(store: Store, { call }: Gate, notes: Notes): AttendanceSource {
  return {
    notes,
    names: () => call(() => namesOfWaiting(store)),
    depths: (lanes) => call((now) => countDepths(store, lanes, now)),
  };
}

interface Gate {
  /** Answers one call, at one instant. */
  readonly call: <Answer>(answer: (now: number) => Answer | Promise<Answer>) => Promise<Answer>;
  /** Answers each item of a call, all at one instant. */
  readonly each: <Item, Answer>(
    items: readonly Item[],
    answer: (item: Item, now: number) => Answer,
  ) => Promise<readonly Answer[]>;
  /** Whether `close` was called. */
  readonly isClosed: () => boolean;
  readonly close: () => Promise<void>;
}

/** Passes the calls until the broker is closed. */
function createGate(store: Store): Gate {
  const gate = createCloseGate('memory');
  const nextTurn = store.clock === systemClock ? createTurns() : () => undefined;
  const call: Gate['call'] = (answer) => {
    const answerNow = () => {
      followWallClock(store);
      const now = readNow(store);
      expireKept(store, now);
      return answer(now);
    };
    return gate.pass(() => {
      const turn = nextTurn();
      return turn === undefined ? answerNow() : turn.then(answerNow);
    });
  };
  return {
    call,
    each: (items, answer) => call((now) => items.map((item) => answer(item, now))),
    isClosed: gate.isClosed,
    close: () => {
      const closed = gate.close();
      for (const finish of [...store.waits, ...store.resultWaits]) finish();
      return closed;
    },
  };
}

/** Returns what each call asks for: the turn of the event loop that it has to wait for. All that come meanwhile wait for the same one. */
function createTurns(): () => Promise<void> | undefined {
  let calls = 0;
  let turn: Promise<void> | undefined;
  return () => {
    calls += 1;
    if (calls < CALLS_BEFORE_TURN) return undefined;
    turn ??= yieldToEventLoop().then(() => {
      calls = 0;
      turn = undefined;
    });
    return turn;
  };
}

import type { Clock } from '@retry/core';
import type { Broker, HeartbeatAnswer, HeartbeatRequest, Submission, SubmitAnswer } from '@retry/core/broker';
import {
  carrySpent,
  checkInput,
  closedError,
  getBy,
  isRefusedInput,
  keepableMs,
  newRun,
} from '@retry/core/broker/kit';
import { createChanges } from './change.ts';
import { createExchange } from './exchange.ts';
import { createGroups, figuresOfGroups } from './groups.ts';
import { createReads } from './read.ts';
import { createReservations } from './reservations.ts';
import type { Kept, Retention } from './storage.ts';
import { createStorage } from './storage.ts';
import { createTakeKey } from './unique.ts';
import type { Wait } from './wait.ts';
import { createWait } from './wait.ts';

/** How long a naive broker keeps what has ended, and its clock. */
export interface NaiveOptions extends Retention {
  readonly clock: Clock;
}

/**
 * A broker over a `Map`, written from the port alone: each verb reads every run and takes the obvious step. It shows
 * what the contract asks for, and that the contract depends on no broker of ours.
 */
export function createNaiveBroker({ clock, ...retention }: NaiveOptions): Broker {
  const waits = new Set<Wait>();
  const resultWaits = new Set<Wait>();
  const storage = createStorage(retention, () => {
    for (const wait of [...resultWaits]) wait.end();
  });
  const { runs, notes, knownKeys, add, move, forgetOld, audit } = storage;
  const { findExpired, getAll, listRuns, attend } = createReads(storage);
  const groups = createGroups(storage);
  const exchange = createExchange(storage, groups, submitOne);
  const { readRuns, changeAll } = createChanges(storage, groups, requestCancel);
  const reserveOne = createReservations();
  const takeKey = createTakeKey(storage);
  const wait = createWait(clock, storage);
  let isClosed = false;

  /** Every verb passes here. */
  async function call<Answer>(verb: (now: number) => Answer): Promise<Awaited<Answer>> {
    if (isClosed) throw closedError('naive');
    forgetOld(clock.now());
    const answer = verb(clock.now());
    forgetOld(clock.now());
    for (const wait of [...waits]) wait.check();
    return await answer;
  }

  function submitOne(submission: Submission, now: number): SubmitAnswer {
    const { id, runAt = now, delayMs = 0, unique } = submission;
    if (runs.has(id) || (knownKeys.get(id) ?? 0) > now) return 'exists';
    const answer = unique === undefined ? 'created' : takeKey(id, unique, now);
    if (answer !== 'created' && answer.type === 'kept') return answer;
    const run = newRun(submission);
    carrySpent(run, submission.spent);
    const kept: Kept = {
      run,
      submission,
      seq: 0,
      turn: 'none',
      leaseUntil: 0,
      takesSlot: false,
      takesLane: false,
      awaitedUntil: 0,
    };
    move(kept, { type: 'submit', at: now, runAt: keepableMs(Math.max(runAt, now + delayMs)) });
    add(kept);
    return answer;
  }

  function heartbeatOne(
    { id, epoch }: HeartbeatRequest,
    { now, leaseMs }: { now: number; leaseMs: number },
  ): HeartbeatAnswer {
    const kept = runs.get(id);
    if (kept === undefined) return 'gone';
    if (kept.run.state !== 'started' || kept.run.epoch !== epoch) return 'fenced';
    const extend = (): void => {
      move(kept, { type: 'heartbeat', at: now });
      kept.leaseUntil = Math.max(kept.leaseUntil, now + leaseMs);
    };
    if (leaseMs > 0) extend();
    return kept.run.isCancelRequested ? 'cancel' : 'ok';
  }

  function requestCancel(id: string): void {
    const kept = runs.get(id);
    if (kept === undefined) return;
    kept.run = { ...kept.run, isCancelRequested: true };
  }

  return checkInput({
    submit: (submissions) => call((now) => submissions.map((submission) => submitOne(submission, now))),
    exchange: (request) => call((now) => exchange(request, now)),
    heartbeat: (leases, leaseMs) =>
      call((now) => leases.map((lease) => heartbeatOne(lease, { now, leaseMs }))),
    findExpired: (limit, scope = {}) => call((now) => findExpired(limit, scope, now)),
    change: (changes, options) => call((now) => changeAll(changes, options?.notes, now)),
    notes: {
      read: (query) => call((now) => notes.read(query, now)),
      write: (writes) => call((now) => notes.write(writes, now)),
    },
    reserve: (requests) => call((now) => requests.map((request) => reserveOne(request, now))),
    get: getBy({
      runs: (ids, options = {}) => call(() => getAll(ids, options)),
      seen: (ids) => call((now) => readRuns(ids, now)),
    }),
    list: (query) => call((now) => listRuns(query, now)),
    wait: (request) => call(() => wait(request.lanes === undefined ? resultWaits : waits, request)),
    attend: (attendance) => call((now) => attend(attendance, now)),
    audit: () => call(audit),
    figures: figuresOfGroups((query) => call(() => groups.page(query))),
    isRefusal: isRefusedInput,
    close: async () => {
      isClosed = true;
      for (const { end } of [...waits, ...resultWaits]) end();
    },
  });
}

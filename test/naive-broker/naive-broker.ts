import type { Clock } from '@retry/core';
import type { Audit, Broker, GetOptions, HeartbeatAnswer, HeartbeatRequest, Run } from '@retry/core/broker';
import type { RetentionSettings, StartCounts } from '@retry/core/broker/kit';
import {
  answerHeartbeat,
  answerStarts,
  attendBy,
  checkInput,
  countStates,
  createCloseGate,
  figuresBy,
  getBy,
  isRefusedInput,
  pageOfNotes,
} from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import { createChanges } from './change.ts';
import { createExchange } from './exchange.ts';
import { createReads } from './read.ts';
import { createStorage } from './storage.ts';
import { createSubmit } from './submit.ts';
import type { Wait } from './wait.ts';
import { createWait } from './wait.ts';

/** How long a naive broker keeps what has ended, and its clock. */
export interface NaiveOptions extends RetentionSettings {
  readonly clock: Clock;
}

/**
 * A broker over a `Map`, written from the port and the rules of the kit: each verb reads every run and takes the obvious step. It shows
 * what the contract asks for, and that the contract depends on no broker of ours.
 */
export function createNaiveBroker({ clock, ...retention }: NaiveOptions): Broker {
  const gate = createCloseGate('naive');
  const waits = new Set<Wait>();
  const storage = createStorage(retention, () => {
    for (const { forResults, end } of waits) if (forResults) end();
  });
  const { runs, notes, groups, counts, move, forgetOld } = storage;
  const { findExpired, listRuns, countDepth } = createReads(storage);
  const submitOne = createSubmit(storage);
  const exchange = createExchange(storage, submitOne);
  const { readSeen, changeAll } = createChanges(storage);
  const startCounts = new Map<string, StartCounts>();
  const wait = createWait(clock, waits, storage);

  /** Every verb passes here. */
  const call = <Answer>(verb: (now: number) => Answer | Promise<Answer>): Promise<Answer> =>
    gate.pass(() => {
      forgetOld(clock.now());
      const answer = verb(clock.now());
      forgetOld(clock.now());
      for (const { check } of waits) check();
      return answer;
    });

  const each = <Item, Answer>(items: readonly Item[], verb: (item: Item, now: number) => Answer) =>
    call((now) => items.map((item) => verb(item, now)));

  function beat(request: HeartbeatRequest, leaseMs: number, now: number): HeartbeatAnswer {
    const kept = runs.get(request.id);
    const answer = answerHeartbeat(kept?.run, request);
    if (kept === undefined || answer === 'fenced' || leaseMs <= 0) return answer;
    move(kept, { type: 'heartbeat', at: now });
    kept.leaseUntil = Math.max(kept.leaseUntil, now + leaseMs);
    return answer;
  }

  function getOne(id: string, { collect = false }: GetOptions): Run | undefined {
    const kept = runs.get(id);
    if (collect && kept && isEnd(kept.run.state)) kept.awaitedUntil = 0;
    return kept?.run;
  }

  function audit(): Audit {
    const { created, forgotten } = counts;
    const states = countStates([...runs.values()].map(({ run }) => run));
    return { ...counts, ...states, unbalanced: Math.abs(created - runs.size - forgotten) };
  }

  const keptNotes: Broker['notes'] = {
    read: (query) => call((now) => pageOfNotes([...notes.all.values()], query, now)),
    write: (writes) =>
      call((now) => {
        const changed = notes.changed(writes, now);
        if (changed.length > 0) return { outcome: 'changed', changed, now };
        return { outcome: 'written', versions: notes.write(writes, now), now };
      }),
  };
  const unknown = () => Promise.reject(new Error('a naive broker counts groups only'));

  return checkInput({
    submit: (submissions) => each(submissions, submitOne),
    exchange: (request) => call((now) => exchange(request, now)),
    heartbeat: (leases, leaseMs) => each(leases, (lease, now) => beat(lease, leaseMs, now)),
    findExpired: (limit, scope = {}) => call((now) => findExpired(limit, scope, now)),
    change: (changes, options) => call((now) => changeAll(changes, options?.notes, now)),
    notes: keptNotes,
    reserve: (requests) =>
      each(requests, (request, now) => {
        const { counts, reserved } = answerStarts(startCounts.get(request.key), request, now);
        if (counts !== undefined) startCounts.set(request.key, counts);
        return reserved;
      }),
    get: getBy({
      runs: (ids, options = {}) => each(ids, (id) => getOne(id, options)),
      seen: (ids) => call((now) => ({ now, runs: ids.map(readSeen) })),
    }),
    list: (query) => call((now) => listRuns(query, now)),
    wait: (request) => call(() => wait(request)),
    attend: (attendance) => {
      const names = () => each([...runs.values()], ({ run }) => run.lane);
      return attendBy({ notes: keptNotes, names, depths: (lanes) => each(lanes, countDepth) }, attendance);
    },
    audit: () => call(audit),
    figures: figuresBy({
      groups: (query) => call(() => groups.page(query)),
      ...{ lanes: unknown, attempts: unknown, dueTimes: unknown },
    }),
    isRefusal: isRefusedInput,
    close: () => {
      for (const { end } of waits) end();
      return gate.close();
    },
  });
}

import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { holdLanes, resumeLanes } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../support/processor-time.ts';

/** It takes no memory, and minutes to be gone through. */
const sparse = (): never[] => new Array<never>(2 ** 32 - 1);

const run = {
  ...{ id: 'a', lane: 'send@1', payload: '{}', state: 'completed', createdAt: 1 },
  ...{ epoch: 1, resetEpoch: 0, failures: 0, stalls: 0, releases: 0, rateLimits: 0, redrives: 0 },
};

/** Every verb that takes a list, by the list that is too long. */
const CALLS: Readonly<Record<string, (broker: Broker, list: never[]) => unknown>> = {
  submit: (broker, list) => broker.submit(list),
  settle: (broker, list) => broker.exchange({ settle: list }),
  'settle, of its errors': (broker, errors) => {
    const next = { ...run, errors } as never; // a list of errors that nobody made
    return broker.exchange({ settle: [{ id: 'a', epoch: 1, event: 'complete', next }] });
  },
  change: (broker, list) => broker.change(list),
  hold: (broker, list) => holdLanes(broker, list),
  resume: (broker, list) => resumeLanes(broker, list),
  reserve: (broker, list) => broker.reserve(list),
  heartbeat: (broker, list) => broker.heartbeat(list, 1_000),
  'findExpired, of its lanes': (broker, lanes) => broker.findExpired(1, { lanes }),
  get: (broker, list) => broker.get(list),
  'get, for a change': (broker, list) => broker.get(list, { answer: 'seen' }),
  wait: (broker, list) => broker.wait({ lanes: list, timeoutMs: 0 }),
  'attend, of its lanes': (broker, lanes) => broker.attend({ worker: 'w', lanes, ttlMs: 1_000 }),
  'figures, of lanes': (broker, lanes) => broker.figures?.({ lanes: { lanes } }),
  'figures, of due times': (broker, lanes) =>
    broker.figures?.({ dueTimes: { from: 0, bucketMs: 1_000, buckets: 1, lanes } }),
};

describe('a list of 2³² items is refused before it is gone through, by', () => {
  it.each(Object.entries(CALLS))('%s', async (_verb, call) => {
    const before = processorMs();

    const refused = await Promise.resolve(call(createMemoryBroker(), sparse())).catch(
      (error: unknown) => error,
    );

    expect(refused).toBeInstanceOf(InvalidOptionsError);
    expect(String(refused)).toMatch(/must (?:have|be) at most \d+ (?:items|lanes|ids)/);
    expect(processorMs() - before).toBeLessThan(10_000);
  });
});

import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { watchLeases } from '../support/watch-leases.ts';
import type { Scene } from './scene.ts';
import { never, pass, setScene } from './scene.ts';

const TIMING = { lease: '9s', cleanerInterval: '1s' } as const;

type Answers = { readonly [Verb in 'exchange' | 'heartbeat']?: readonly number[] };

/** The scene's broker, whose first answers, of claims that return runs, are late by that many ms; `Infinity`: the call fails. */
function late({ broker, clock }: Scene, lateMs: Answers) {
  const seen = { claims: 0, heartbeats: 0 };
  const delay = async (verb: keyof Answers, call: number): Promise<void> => {
    const ms = lateMs[verb]?.[call - 1] ?? 0;
    if (ms === Infinity) throw new Error('down');
    if (ms > 0) await pass(clock, ms);
  };
  const slow: Broker = {
    ...broker,
    exchange: async (request) => {
      const reply = await broker.exchange(request);
      if (reply.claimed.length === 0) return reply;
      seen.claims += 1;
      await delay('exchange', seen.claims);
      return reply;
    },
    heartbeat: async (beats, leaseMs) => {
      const answers = await broker.heartbeat(beats, leaseMs);
      if (leaseMs === 0) return answers;
      seen.heartbeats += 1;
      await delay('heartbeat', seen.heartbeats);
      return answers;
    },
  };
  return { slow, seen };
}

/** A task that notes which worker executed which epoch. */
function notingTask(run: () => unknown = () => {}) {
  const executed: string[] = [];
  const task = defineTask({
    name: 'noted',
    retry: { maxAttempts: 5, backoff: { type: 'none' } },
    run: async (name: string, { epoch }) => {
      executed.push(`${name} ${epoch}`);
      await run();
    },
  });
  return { task, executed };
}

describe('a claim that is answered after its lease', () => {
  it('starts no run that another worker has taken', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { slow } = late(scene, { exchange: [12_000] });
    const { task, executed } = notingTask();
    const { id } = await queue.submit(task, 'a');
    const blocked = startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '1m' });
    await clock.advance(1);
    const other = startWorker({ tasks: [task], ...TIMING });

    await clock.advance('1m');

    expect(executed).toEqual(['a 2']);
    expect(blocked.emittedOf('fenced')).toMatchObject([{ id, epoch: 1, answer: 'fenced' }]);
    expect(other.emittedOf('completed')).toMatchObject([{ epoch: 2 }]);
  });

  it('starts those that are still its own', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { slow } = late(scene, { exchange: [12_000] });
    const { task, executed } = notingTask();
    const { id } = await queue.submit(task, 'a');
    startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '20s' });

    await clock.advance('1m');

    expect(executed).toEqual(['a 1']);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1, stalls: 0, releases: 0 });
  });

  it('renews a lease that would not last until the next heartbeat', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    // Sent at 2 s, between heartbeats at 0 s, 3 s, 6 s and 9 s; its lease ends at 11 s.
    const { slow, seen } = late(scene, { exchange: [7_100] });
    const { task } = notingTask(() => pass(clock, 20_000));
    startWorker({ tasks: [task], broker: slow, ...TIMING });
    await clock.advance('2s');
    const { id } = await queue.submit(task, 'a');

    await clock.advance('7101ms');

    expect(seen.heartbeats).toBe(1);
    await clock.advance('1m');
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1 });
  });

  it('starts none that are to be cancelled', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { slow } = late(scene, { exchange: [12_000] });
    const { task, executed } = notingTask();
    const { id } = await queue.submit(task, 'a');
    const worker = startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '1m' });
    await clock.advance('1s');
    await queue.cancel(id);

    await clock.advance('1m');

    expect(executed).toEqual([]);
    expect(worker.emitted.map(({ type }) => type)).toEqual(['started', 'cancelled']);
  });

  it.each([
    ['fails', Infinity],
    ['is answered after the lease, too', 10_000],
  ])('gives its runs back, uncharged, if the heartbeat %s', async (_, lateMs) => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { slow } = late(scene, { exchange: [12_000], heartbeat: [lateMs] });
    const { task, executed } = notingTask();
    const { id } = await queue.submit(task, 'a');
    startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '1m' });

    await clock.advance('30s');

    expect(executed).toEqual(['a 2']);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 2, stalls: 0, releases: 1 });
  });

  it('begins the total time of no run whose handler was not called', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    const { slow } = late(scene, { exchange: [12_000], heartbeat: [Infinity] });
    const left: number[] = [];
    const task = defineTask({
      name: 'timed',
      retry: { maxAttempts: 1, totalTimeout: '10s' },
      run: (_: string, { remainingMs }) => void left.push(remainingMs),
    });
    const { id } = await queue.submit(task, 'a');
    startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '1m' });

    await clock.advance('30s');

    expect(left).toEqual([10_000]);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', releases: 1, failures: 0 });
  });

  it('is followed by none, while a handler runs, until a heartbeat is answered in time', async () => {
    const scene = setScene();
    const { clock, queue, startWorker } = scene;
    // After those at 3 s, 6 s, 9 s and 12 s: the one at 13 s, before the late start, and the one at 15 s.
    const heartbeat = [0, 0, 0, 0, 10_000, 10_000];
    const { slow } = late(scene, { exchange: [0, 12_000], heartbeat });
    const { task, executed } = notingTask(() => never());
    await queue.submit(task, 'long');
    startWorker({ tasks: [task], broker: slow, ...TIMING, cleanerInterval: '1m', shutdownTimeout: 0 });
    await clock.advance('1s');
    await queue.submit(task, 'late');

    await clock.advance('26s');

    expect(await queue.counts()).toMatchObject({ submitted: 1, started: 1 });
    await clock.advance('2s');
    expect(executed).toEqual(['long 1', 'late 2']);
  });
});

/** A clock whose event loop a handler can block: `block` takes time, and no timer fires meanwhile. */
function blockable(clock: Clock) {
  let blockedMs = 0;
  const block = (ms: number): void => {
    blockedMs += ms;
  };
  return { time: { ...clock, now: () => clock.now() + blockedMs }, block };
}

describe('a handler that blocks the event loop before others are called', () => {
  it.each([
    ['claimed for another slot', { concurrency: 40 }],
    ['claimed in advance', { concurrency: 1, prefetch: 20 }],
  ])('costs no run that was %s its only execution', async (_, options) => {
    const { clock, queue, startWorker, broker } = setScene();
    const { time, block } = blockable(clock);
    const { watched, isLeased } = watchLeases(broker, time);
    const seen = { executions: 0, unleased: 0 };
    const task = defineTask({
      name: 'blocking',
      run: (ms: number, { id, epoch }) => {
        seen.executions += 1;
        if (!isLeased({ id, epoch })) seen.unleased += 1;
        block(ms);
      },
    });
    const blocks = Array.from({ length: 40 }, (_, index) => (index % 10 === 9 ? 12_000 : 0));
    await queue.submitMany(task, blocks);
    startWorker({ tasks: [task], broker: watched, clock: time, ...TIMING, ...options });

    await clock.advance('5m');

    expect(seen).toEqual({ executions: 40, unleased: 0 });
    expect((await queue.counts()).ended.completed).toBe(40);
  });
});

import type { Broker } from '@retry/core/broker';
import type { TaskContext } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from './scene.ts';

type Verb = 'exchange' | 'heartbeat' | 'findExpired' | 'wait';

/** A broker whose verb throws the first `times`, before it does anything or after it has done everything. */
function failing(
  broker: Broker,
  { verb, times, when }: { verb: Verb; times: number; when: 'before' | 'after' },
): Broker {
  let left = times;
  const fail = (): never => {
    left -= 1;
    throw new Error(`${verb} failed ${when}`);
  };
  const call = async (...args: readonly unknown[]): Promise<unknown> => {
    if (left > 0 && when === 'before') fail();
    const reply: unknown = await (broker[verb] as (...given: readonly unknown[]) => Promise<unknown>)(
      ...args,
    );
    return left > 0 ? fail() : reply;
  };
  return { ...broker, [verb]: call };
}

describe('a broker that fails', () => {
  it.each(['before', 'after'] as const)(
    '%s the exchange loses nothing and runs nothing twice',
    async (when) => {
      const { clock, broker, queue, startWorker } = setScene();
      const executed: string[] = [];
      const task = defineTask({
        name: 'counted',
        run: async (_: number, { id, epoch }: TaskContext) => {
          executed.push(`${id}:${epoch}`);
          await pass(clock, 1);
        },
      });
      await queue.submitMany(task, [1, 2, 3]);
      const faulty = failing(broker, { verb: 'exchange', times: 4, when });
      const worker = startWorker({ tasks: [task], broker: faulty });

      await clock.advance('1m');

      expect(await queue.counts()).toMatchObject({ ended: { completed: 3 }, started: 0, submitted: 0 });
      expect(new Set(executed).size).toBe(3);
      expect(executed).toHaveLength(3);
      expect(worker.emittedOf('completed')).toMatchObject([{ epoch: 1 }, { epoch: 1 }, { epoch: 1 }]);
      expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(
        Array(4).fill('settling and claiming'),
      );
      expect(worker.emittedOf('fenced')).toEqual([]);
    },
  );

  it('at each reply of many exchanges charges nothing and emits each end once', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let count = 0;
    const lossy: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        count += 1;
        if (count % 2 === 1) throw new Error('the reply is lost');
        return reply;
      },
    };
    const executed: string[] = [];
    const task = defineTask({
      name: 'flaky',
      retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      run: (_: number, { id, epoch, attempt }) => {
        executed.push(`${id}:${epoch}`);
        if (attempt < 3) throw new Error('no');
      },
    });
    const submitted = await queue.submitMany(task, [1, 2, 3, 4, 5]);
    const worker = startWorker({ tasks: [task], broker: lossy, concurrency: 2 });

    await clock.advance('2m');

    for (const { id } of submitted) {
      expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 3, failures: 2, stalls: 0 });
    }
    expect(executed).toHaveLength(15);
    expect(new Set(executed).size).toBe(15);
    expect(worker.emittedOf('completed')).toHaveLength(5);
    expect(worker.emittedOf('retried')).toHaveLength(10);
    expect(worker.emittedOf('fenced')).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['an empty object', {}],
    ['no settled', { claimed: [], now: 0 }],
    ['no claimed', { settled: [], now: 0 }],
    ['no instant', { settled: [], claimed: [], now: Number.NaN }],
    ['a text', 'OK'],
  ])('by a reply of %s is asked again, and named', async (_, wrong) => {
    const { clock, broker, queue, startWorker } = setScene();
    let left = 2;
    const odd: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        left -= 1;
        return left >= 0 ? (wrong as typeof reply) : reply;
      },
    };
    const task = defineTask({ name: 'plain', run: () => {} });
    await queue.submitMany(task, [null, null]);
    const worker = startWorker({ tasks: [task], broker: odd });

    await clock.advance('1m');

    expect(await queue.counts()).toMatchObject({ ended: { completed: 2 }, started: 0, submitted: 0 });
    expect(worker.emittedOf('error')).toMatchObject(
      Array(2).fill({ error: { code: 'WRONG_REPLY' }, doing: 'settling and claiming' }),
    );
    const stopped = worker.stop();
    await clock.advance('1s');
    await stopped;
  });

  it('is asked again after a growing delay of at most 5 s', async () => {
    const { clock, broker, startWorker } = setScene();
    const asked: number[] = [];
    const down: Broker = {
      ...broker,
      exchange: ({ claim }) => {
        if (claim !== undefined) asked.push(clock.now());
        return Promise.reject(new Error('down'));
      },
    };
    startWorker({
      tasks: [defineTask({ name: 'any', run: () => {} })],
      broker: down,
      random: () => 1 - 2 ** -53,
    });

    await clock.advance('30s');

    const waits = asked.slice(1).map((at, index) => Math.round(at - (asked[index] ?? 0)));
    expect(waits).toEqual(
      [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000, 5_000].slice(0, waits.length),
    );
    expect(waits.length).toBeGreaterThanOrEqual(10);
  });

  it('in a wait for work is asked again within a second, whatever the poll interval', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ name: 'any', run: () => {} });
    const faulty = failing(broker, { verb: 'wait', times: 3, when: 'before' });
    const worker = startWorker({ tasks: [task], broker: faulty, pollInterval: '1h' });
    await clock.advance('10s');
    await queue.submit(task, null);
    await clock.advance('1s');

    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(Array(3).fill('waiting for work'));
    expect((await queue.counts()).ended.completed).toBe(1);
  });

  it('at a heartbeat gets the next heartbeat, and the lease is kept', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ name: 'long', run: () => pass(clock, 60_000) });
    const { id } = await queue.submit(task, null);
    const { heartbeat: fail } = failing(broker, { verb: 'heartbeat', times: 2, when: 'before' });
    // What only asks for cancel requests reaches it.
    const heartbeat: Broker['heartbeat'] = (beats, leaseMs) =>
      (leaseMs > 0 ? fail : broker.heartbeat)(beats, leaseMs);
    const faulty: Broker = { ...broker, heartbeat };
    const worker = startWorker({ tasks: [task], broker: faulty, lease: '9s' });
    startWorker({ tasks: [task], lease: '9s', cleanerInterval: '1s' });

    await clock.advance('2m');

    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(['heartbeating', 'heartbeating']);
    expect(await queue.get(id)).toMatchObject({ state: 'completed', epoch: 1, stalls: 0 });
  });

  it('at a search for expired runs is searched again', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const task = defineTask({ name: 'any', retry: { backoff: { type: 'none' } }, run: () => {} });
    await queue.submit(task, null);
    await broker.exchange({
      claim: { worker: 'dead', requestId: 'r', limit: 1, lanes: new Map([['any@1', 1]]), leaseMs: 1_000 },
    });
    const faulty = failing(broker, { verb: 'findExpired', times: 2, when: 'before' });
    const worker = startWorker({ tasks: [task], broker: faulty, cleanerInterval: '5s' });

    await clock.advance('20s');

    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(['cleaning', 'cleaning']);
    expect(worker.emittedOf('completed')).toMatchObject([{ epoch: 2, attempt: 2 }]);
  });

  it('receives at most 500 settlements in one exchange', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    let isDown = false;
    const sizes: number[] = [];
    const flaky: Broker = {
      ...broker,
      exchange: async (request) => {
        if (isDown) throw new Error('down');
        sizes.push(request.settle?.length ?? 0);
        return broker.exchange(request);
      },
    };
    const task = defineTask({ name: 'many', run: () => pass(clock, 1_000) });
    await queue.submitMany(task, Array(1_200).fill(null));
    startWorker({ tasks: [task], broker: flaky, concurrency: 1_200 });
    await clock.advance('999ms');
    isDown = true;
    await clock.advance('1s');
    isDown = false;

    await clock.advance('1m');

    expect(Math.max(...sizes)).toBe(500);
    expect((await queue.counts()).ended.completed).toBe(1_200);
  });

  it('wakes no worker before the next run is due, though its waits end only by their timeout', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const sleepy: Broker = { ...broker, wait: ({ timeoutMs }) => pass(clock, timeoutMs) };
    const task = defineTask({ name: 'any', run: () => {} });
    const { id } = await queue.submit(task, null, { delay: '7s' });
    startWorker({ tasks: [task], broker: sleepy, pollInterval: '1h' });

    await clock.advance('7s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', startedAt: 7_000 });
    // Its wait has an hour to go.
    await clock.advance('1h');
  });

  it('that answers a heartbeat after the settlement causes no fenced event', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const slow: Broker = {
      ...broker,
      heartbeat: async (beats, leaseMs) => {
        await pass(clock, 2_000);
        return broker.heartbeat(beats, leaseMs);
      },
    };
    const task = defineTask({ name: 'any', run: () => pass(clock, 4_000) });
    await queue.submit(task, null);
    const worker = startWorker({ tasks: [task], broker: slow, lease: '9s' });

    await clock.advance('1m');

    expect(worker.emitted.map(({ type }) => type)).toEqual(['started', 'completed']);
  });
});

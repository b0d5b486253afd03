import { holdLanes } from '@retry/core/broker/kit';
import { defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene, untilStopped } from './scene.ts';

/** A handler that takes `durationMs` and notes when each run started. */
function starter({ clock }: Scene, durationMs = 1) {
  const startedAt: number[] = [];
  const run = async (): Promise<void> => {
    startedAt.push(clock.now());
    await pass(clock, durationMs);
  };
  return { startedAt, run };
}

/** The most starts in any window `[t, t + windowMs)`. */
function mostIn(startedAt: readonly number[], windowMs: number): number {
  return Math.max(
    ...startedAt.map((from) => startedAt.filter((at) => at >= from && at < from + windowMs).length),
  );
}

const LATER = { maxAttempts: 3, backoff: { type: 'constant', base: '5s' }, jitter: 'none' } as const;

describe('globalRateLimit', () => {
  it('is a limit over all workers', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 5, window: '1s' }, run });
    await scene.queue.submitMany(task, Array(60).fill(null));
    for (let count = 0; count < 3; count += 1) scene.startWorker({ tasks: [task] });

    await scene.clock.advance('9900ms');

    expect(mostIn(startedAt, 1_000)).toBe(5);
    expect(startedAt.length).toBeGreaterThanOrEqual(48);
  });

  it('uses what the limit allows, and gives no run back where there is one worker', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 20, window: '1s' }, run });
    await scene.queue.submitMany(task, Array(500).fill(null));
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('10s');

    expect(mostIn(startedAt, 1_000)).toBe(20);
    expect(startedAt.length).toBeGreaterThanOrEqual(10 * 20 * 0.96);
    expect(worker.emittedOf('released')).toEqual([]);
  });

  it('gives few runs back where several workers share it', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 100, window: '1s' }, run });
    await scene.queue.submitMany(task, Array(3_000).fill(null));
    const workers = Array.from({ length: 4 }, () => scene.startWorker({ tasks: [task] }));

    await scene.clock.advance('10s');

    const released = workers.flatMap((worker) => worker.emittedOf('released')).length;
    expect(mostIn(startedAt, 1_000)).toBe(100);
    expect(startedAt.length).toBeGreaterThanOrEqual(10 * 100 * 0.95);
    expect(released).toBeLessThan(startedAt.length / 2);
  });

  it('gives back what is not granted in its old order, uncharged', async () => {
    const scene = setScene();
    const order: number[] = [];
    const task = defineTask({
      name: 'a',
      globalRateLimit: { limit: 5, window: '1s' },
      run: (payload: number) => void order.push(payload),
    });
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    await scene.queue.submitMany(task, numbers);
    await scene.broker.reserve([{ key: 'a', limit: 5, windowMs: 1_000, count: 3 }]);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('10s');

    expect(worker.emittedOf('released')).toHaveLength(3);
    expect(worker.emittedOf('completed').map(({ retries }) => retries)).toEqual(Array(12).fill(0));
    expect(order).toEqual(numbers);
  });

  it('is shared by tasks with the same key, and by all versions of a task', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const globalRateLimit = { limit: 2, window: '1m', key: 'api' } as const;
    const byName = { limit: 3, window: '1m' } as const;
    const tasks = ['a', 'b'].map((name) => defineTask({ name, globalRateLimit, run }));
    const versions = ['1', '2'].map((version) =>
      defineTask({ name: 'c', version, globalRateLimit: byName, run }),
    );
    for (const task of [...tasks, ...versions]) await scene.queue.submitMany(task, Array(4).fill(null));
    scene.startWorker({ tasks: [...tasks, ...versions] });

    await scene.clock.advance('59s');

    expect(startedAt).toHaveLength(5);
  });

  it('holds each window of tasks that share a key, whichever of them started the runs', async () => {
    const scene = setScene();
    const [bySecond, byMinute] = [starter(scene), starter(scene)];
    const fast = defineTask({
      ...{ name: 'fast', globalRateLimit: { limit: 3, window: '1s', key: 'api' }, run: bySecond.run },
    });
    const slow = defineTask({
      ...{ name: 'slow', globalRateLimit: { limit: 10, window: '1m', key: 'api' }, run: byMinute.run },
    });
    scene.startWorker({ tasks: [fast, slow] });
    await scene.queue.submitMany(slow, Array(100).fill(null));
    for (let count = 0; count < 15; count += 1) {
      await scene.clock.advance('10s');
      await scene.queue.submit(fast, null);
    }
    await scene.clock.advance('1s');

    const all = [...bySecond.startedAt, ...byMinute.startedAt];
    const before = (at: number): number => all.filter((one) => one > at - 60_000 && one <= at).length;
    expect(bySecond.startedAt).toHaveLength(15);
    expect(Math.max(...byMinute.startedAt.map(before))).toBe(10);
    expect(byMinute.startedAt.length).toBeGreaterThanOrEqual(15);
  });

  it('counts prefetched runs when they start, not before', async () => {
    const scene = setScene();
    const reserve = vi.spyOn(scene.broker, 'reserve');
    const { startedAt, run } = starter(scene, 40);
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 100, window: '1m' }, run });
    await scene.queue.submitMany(task, Array(6).fill(null));
    scene.startWorker({ tasks: [task], concurrency: 2, prefetch: 4 });

    await scene.clock.advance('1s');

    expect(startedAt).toHaveLength(6);
    const counts = reserve.mock.calls.flatMap(([requests]) => requests.map(({ count }) => count));
    expect([counts[0], counts.reduce((sum, count) => sum + count, 0)]).toEqual([2, 6]);
  });

  it('makes one call for the runs of several limits that start together, and none for other tasks', async () => {
    const scene = setScene();
    const reserve = vi.spyOn(scene.broker, 'reserve');
    const { run } = starter(scene);
    const limited = ['a', 'b'].map((name) =>
      defineTask({ name, globalRateLimit: { limit: 10, window: '1m' }, run }),
    );
    const free = defineTask({ name: 'c', run });
    for (const task of [...limited, free]) await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [...limited, free] });

    await scene.clock.advance('1s');

    const counted = reserve.mock.calls.map(([requests]) => requests.map(({ key, count }) => [key, count]));
    expect(counted).toEqual([
      [
        ['a', 2],
        ['b', 2],
      ],
    ]);
  });

  it('leaves the other tasks of a worker alone', async () => {
    const scene = setScene();
    const [narrow, wide] = [starter(scene), starter(scene)];
    const a = defineTask({ name: 'a', globalRateLimit: { limit: 1, window: '1m' }, run: narrow.run });
    const b = defineTask({ name: 'b', run: wide.run });
    await scene.queue.submitMany(a, Array(5).fill(null));
    scene.startWorker({ tasks: [a, b], concurrency: 2 });
    await scene.clock.advance('1s');
    await scene.queue.submitMany(b, Array(5).fill(null));

    await scene.clock.advance('1s');

    expect([narrow.startedAt.length, wide.startedAt.length]).toEqual([1, 5]);
  });

  it('holds together with the limits of the worker', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene, 400);
    const task = defineTask({
      name: 'a',
      maxConcurrent: 2,
      rateLimit: { limit: 3, window: '1s' },
      globalRateLimit: { limit: 4, window: '2s' },
      run,
    });
    await scene.queue.submitMany(task, Array(20).fill(null));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('20s');

    expect(startedAt).toHaveLength(20);
    expect([mostIn(startedAt, 400), mostIn(startedAt, 1_000), mostIn(startedAt, 2_000)]).toEqual([2, 3, 4]);
  });

  it('leaves the limit of the worker to starts: what was not granted is none', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({
      name: 'a',
      rateLimit: { limit: 10, window: '1m' },
      globalRateLimit: { limit: 1, window: '1s' },
      rateLimitRetry: { maxAttempts: 'Infinity', backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      run,
    });
    await scene.queue.submitMany(task, Array(12).fill(null));
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('30s');

    expect(startedAt).toHaveLength(10);
    expect(mostIn(startedAt, 1_000)).toBe(1);
  });

  it('leaves the limit of the worker to starts where the broker cannot be asked', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({
      name: 'a',
      rateLimit: { limit: 5, window: '1h' },
      globalRateLimit: { limit: 100, window: '1s' },
      run,
    });
    await scene.queue.submitMany(task, Array(5).fill(null));
    const reserve = vi.fn(scene.broker.reserve).mockRejectedValueOnce(new Error('away'));
    scene.startWorker({ tasks: [task], broker: { ...scene.broker, reserve } });

    await scene.clock.advance('1m');

    expect(startedAt).toHaveLength(5);
  });

  it("ends runs over the limit with whenFull 'end', and puts them off with 'retry'", async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const ending = defineTask({
      name: 'a',
      globalRateLimit: { limit: 2, window: '10s' },
      whenFull: 'end',
      run,
    });
    const retrying = defineTask({
      name: 'b',
      globalRateLimit: { limit: 2, window: '4s' },
      whenFull: 'retry',
      rateLimitRetry: LATER,
      run,
    });
    await scene.queue.submitMany(ending, Array(5).fill(null));
    await scene.queue.submitMany(retrying, Array(4).fill(null));
    const worker = scene.startWorker({ tasks: [ending, retrying] });

    await scene.clock.advance('1s');

    const next = worker.emittedOf('limited').map((event) => [event.task, event.next]);
    expect(next.filter(([task]) => task === 'a')).toEqual(Array(3).fill(['a', 'rateLimited']));
    expect(next.filter(([task]) => task === 'b')).toEqual(Array(2).fill(['b', 'scheduled']));
    expect(startedAt).toHaveLength(4);
    await scene.clock.advance('5s');
    expect(startedAt).toHaveLength(6);
  });

  it('says that a run is late because of a rate limit', async () => {
    const scene = setScene();
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 1, window: '1s' }, run: () => {} });
    await scene.queue.submitMany(task, [null, null]);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('5s');

    expect(worker.emittedOf('started').map(({ lateBecause }) => lateBecause)).toEqual([
      undefined,
      'rate-limit',
    ]);
  });

  it('starts nothing when the broker cannot be asked, reports it, and loses nothing', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const { reserve } = scene.broker;
    let isDown = true;
    const broker = {
      ...scene.broker,
      reserve: vi.fn<typeof reserve>((requests) =>
        isDown ? Promise.reject(new Error('not now')) : reserve(requests),
      ),
    };
    const waits = defineTask({ name: 'a', globalRateLimit: { limit: 10, window: '1s' }, run });
    const ends = defineTask({
      name: 'b',
      globalRateLimit: { limit: 10, window: '1s' },
      whenFull: 'end',
      run,
    });
    for (const task of [waits, ends]) await scene.queue.submitMany(task, [null, null]);
    const worker = scene.startWorker({ broker, tasks: [waits, ends] });
    await scene.clock.advance('30s');
    const calls = broker.reserve.mock.calls.length;
    const before = [...startedAt];
    isDown = false;

    await scene.clock.advance('30s');

    expect(before).toEqual([]);
    expect(calls).toBeLessThan(40);
    expect(worker.emittedOf('error').map(({ doing }) => doing)).toEqual(
      Array(calls).fill('reserving starts'),
    );
    expect(startedAt).toHaveLength(4);
    expect((await scene.broker.audit()).ended.completed).toBe(4);
  });

  it('gives back runs whose reservation is not answered when the worker stops, and starts none of them later', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const broker = {
      ...scene.broker,
      reserve: async (requests: Parameters<typeof scene.broker.reserve>[0]) => {
        await asked;
        return scene.broker.reserve(requests);
      },
    };
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 10, window: '1s' }, run });
    await scene.queue.submitMany(task, [null, null]);
    const worker = scene.startWorker({ broker, tasks: [task] });
    await scene.clock.advance('1s');

    const stopped = worker.stop();
    await scene.clock.advance('1s');
    await stopped;
    answer();
    await scene.clock.advance('1s');

    expect(startedAt).toEqual([]);
    expect((await scene.broker.audit()).submitted).toBe(2);
  });

  it('reports no start of a run that was given back because the start of another one stopped the worker', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 10, window: '1s' }, run });
    await scene.queue.submitMany(task, [null, null, null]);
    const worker = scene.startWorker({ tasks: [task] });
    worker.on('started', () => void worker.stop());

    await scene.clock.advance('1s');

    expect(startedAt).toEqual([]);
    expect(worker.emittedOf('started')).toHaveLength(1);
    expect(worker.emittedOf('released')).toHaveLength(3);
    expect((await scene.broker.audit()).submitted).toBe(3);
  });

  it('frees the slot of a run that is cancelled while its reservation is under way', async () => {
    const scene = setScene();
    const { startedAt, run } = starter(scene);
    let isFirst = true;
    const broker = {
      ...scene.broker,
      reserve: (requests: Parameters<typeof scene.broker.reserve>[0]) => {
        const waits = isFirst ? pass(scene.clock, 25_000) : Promise.resolve();
        isFirst = false;
        return waits.then(() => scene.broker.reserve(requests));
      },
    };
    const slow = defineTask({ name: 'a', globalRateLimit: { limit: 10, window: '1s' }, run });
    const free = defineTask({ name: 'b', run });
    const { id } = await scene.queue.submit(slow, null);
    scene.startWorker({ broker, tasks: [slow, free], concurrency: 1 });
    await scene.clock.advance(1);
    await scene.queue.cancel(id);
    await scene.queue.submit(free, null);

    // A cancel request comes with the answer to a heartbeat, before the reservation is answered.
    await scene.clock.advance('30s');

    expect(startedAt).toHaveLength(1);
    expect((await scene.queue.get(id))?.state).toBe('cancelled');
  });

  it('asks the broker rarely while it has to wait', async () => {
    const scene = setScene();
    const exchange = vi.spyOn(scene.broker, 'exchange');
    const reserve = vi.spyOn(scene.broker, 'reserve');
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 1, window: '1h' }, run: () => {} });
    await scene.queue.submitMany(task, Array(5).fill(null));
    for (let count = 0; count < 3; count += 1) scene.startWorker({ tasks: [task] });

    await scene.clock.advance('30m');

    expect(reserve.mock.calls.length).toBeLessThanOrEqual(3);
    expect(exchange.mock.calls.length).toBeLessThan(20);
  });

  it('has no effect on the run that a circuit breaker lets through, but that it counts', async () => {
    const scene = setScene();
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 1, window: '1s' }, run: untilStopped });
    await scene.queue.submitMany(task, [null, null]);
    await holdLanes(scene.broker, [{ lane: task.lane, source: 'circuit-breaker', forMs: 10, probeMs: 10 }]);
    const worker = scene.startWorker({ tasks: [task] });

    await scene.clock.advance('999ms');
    const first = worker.emittedOf('started').length;
    await scene.clock.advance('2s');

    expect([first, worker.emittedOf('started').length]).toEqual([1, 2]);
  });
});

describe('the option globalRateLimit', () => {
  it('is read with its defaults', () => {
    const task = defineTask({ name: 'a', globalRateLimit: { limit: 5, window: '1.5ms' }, run: untilStopped });

    expect(task.globalRateLimit).toEqual({ key: 'a', limit: 5, windowMs: 2 });
  });

  it.each([
    [{ limit: 0, window: '1s' }, 'globalRateLimit.limit'],
    [{ limit: Infinity, window: '1s' }, 'globalRateLimit.limit'],
    [{ limit: 1, window: 0 }, 'globalRateLimit.window'],
    [{ limit: 1, window: '367d' }, 'globalRateLimit.window'],
    [{ limit: 1, window: '1s', key: '' }, 'globalRateLimit.key'],
    [{ limit: 1, window: '1s', per: 'key' }, 'globalRateLimit.per'],
    [{ limit: 1 }, 'globalRateLimit.window'],
  ])('refuses %j', (globalRateLimit, path) => {
    const define = () =>
      defineTask({ name: 'a', globalRateLimit: globalRateLimit as never, run: untilStopped });

    expect(define).toThrow(expect.objectContaining({ problems: [expect.objectContaining({ path })] }));
  });
});

import type { Broker, Claim } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

/** A task whose runs take as long as their payload says, and note when they start. */
function timedTask({ clock }: Scene, rest: object = {}) {
  const startedAt: number[] = [];
  const task = defineTask({
    name: 'timed',
    ...rest,
    run: async (runMs: number) => {
      startedAt.push(clock.now());
      if (runMs > 0) await pass(clock, runMs);
    },
  });
  return { task, startedAt };
}

/** The scene's broker, the claims that were made of it, and the most runs that were claimed at a time. */
function watched(broker: Broker) {
  const claims: Claim[] = [];
  let most = 0;
  const exchange: Broker['exchange'] = async (request) => {
    if (request.claim !== undefined) claims.push(request.claim);
    const reply = await broker.exchange(request);
    most = Math.max(most, (await broker.audit()).started);
    return reply;
  };
  return { broker: { ...broker, exchange }, claims, mostStarted: () => most };
}

const DAY_MS = 86_400_000;

describe('prefetch', () => {
  it('starts the next run without another claim: far fewer exchanges', async () => {
    const exchanges = async (prefetch: number | 'auto'): Promise<number> => {
      const scene = setScene();
      const { task, startedAt } = timedTask(scene);
      const { broker, claims } = watched(scene.broker);
      await scene.queue.submitMany(task, Array(200).fill(0));
      scene.startWorker({ tasks: [task], broker, concurrency: 1, prefetch });
      for (let second = 0; second < 30; second += 1) await scene.clock.advance('1s');
      expect(startedAt).toHaveLength(200);
      return claims.length;
    };

    const strict = await exchanges(0);

    expect(await exchanges(50)).toBeLessThan(strict / 5);
    expect(await exchanges('auto')).toBeLessThan(strict / 5);
  });

  it('is measured unless it is given', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    const { broker, claims, mostStarted } = watched(scene.broker);
    await scene.queue.submitMany(task, Array(4_000).fill(0));
    scene.startWorker({ tasks: [task], broker, concurrency: 10 });

    await scene.clock.advance('1m');

    expect(claims[0]?.limit).toBe(10);
    expect(Math.max(...claims.map(({ limit }) => limit))).toBe(500); // of up to 1 010, as many as one exchange settles
    expect(mostStarted()).toBeGreaterThan(200);
    expect(mostStarted()).toBeLessThanOrEqual(1_010);
  });

  it('claims nothing in advance with prefetch 0', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    const { broker, mostStarted } = watched(scene.broker);
    await scene.queue.submitMany(task, Array(200).fill(0));
    scene.startWorker({ tasks: [task], broker, concurrency: 3, prefetch: 0 });

    await scene.clock.advance('1m');

    expect(await scene.queue.counts()).toMatchObject({ ended: { completed: 200 } });
    expect(mostStarted()).toBeLessThanOrEqual(3);
  });

  it('never runs more than concurrency at a time, nor prefetches more than prefetch', async () => {
    const scene = setScene();
    const { task, startedAt } = timedTask(scene);
    const { broker, mostStarted } = watched(scene.broker);
    await scene.queue.submitMany(task, Array(40).fill(10));
    scene.startWorker({ tasks: [task], broker, concurrency: 2, prefetch: 10 });

    await scene.clock.advance('10s');

    expect(startedAt).toHaveLength(40);
    const most = Math.max(...startedAt.map((at) => startedAt.filter((other) => other === at).length));
    expect(most).toBe(2);
    expect(mostStarted()).toBe(12);
  });

  it.each([20, 'auto'] as const)('prefetches nothing when runs take long (%s)', async (prefetch) => {
    const scene = setScene();
    const { task } = timedTask(scene);
    await scene.queue.submitMany(task, Array(50).fill(5_000));
    scene.startWorker({ tasks: [task], concurrency: 1, prefetch });

    await scene.clock.advance('21s');

    expect(await scene.queue.counts()).toMatchObject({ started: 1, ended: { completed: 4 } });
  });

  it.each([10, 'auto'] as const)(
    'gives back, uncharged and in order, what has waited for 100 ms (%s)',
    async (prefetch) => {
      const scene = setScene();
      const { task } = timedTask(scene);
      const keys = ['quick', 'slow', 'prefetched-1', 'prefetched-2', 'prefetched-3', 'prefetched-4'];
      for (const key of keys) await scene.queue.submit(task, key === 'slow' ? DAY_MS : 0, { key });
      const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch });
      await scene.clock.advance(99);
      expect(await scene.queue.get('timed@prefetched-4')).toMatchObject({ state: 'started' });

      await scene.clock.advance(1);

      for (const key of keys.slice(2)) {
        expect(await scene.queue.get(`timed@${key}`)).toMatchObject({
          state: 'submitted',
          releases: 1,
          failures: 0,
          stalls: 0,
        });
      }
      expect(worker.emittedOf('released').map(({ id }) => id)).toEqual(
        keys.slice(2).map((key) => `timed@${key}`),
      );
      expect(await scene.queue.get('timed@slow')).toMatchObject({ state: 'started', releases: 0 });
      const lane = new Map([['timed@1', 9]]);
      const next = { worker: 'other', requestId: 'first', limit: 9, lanes: lane, leaseMs: DAY_MS };
      const { claimed } = await scene.broker.exchange({ claim: next });
      expect(claimed.map(({ run }) => run.id)).toEqual(keys.slice(2).map((key) => `timed@${key}`));
    },
  );

  it('does not claim again what it gave back before one of its runs has ended', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    const { broker, claims } = watched(scene.broker);
    await scene.queue.submitMany(task, [0, ...Array(2_000).fill(60_000)]);
    const worker = scene.startWorker({ tasks: [task], broker, concurrency: 1 });
    await scene.clock.advance(100);
    expect(worker.emittedOf('released').length).toBeGreaterThan(0);
    const { length } = worker.emittedOf('released');
    claims.length = 0;

    await scene.clock.advance('50s');

    expect(claims).toEqual([]);
    expect(worker.emittedOf('released')).toHaveLength(length);
  });

  it('has no timer while nothing waits for a slot', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    const waits = new Set<number>();
    const { clock } = scene;
    const watchedClock = {
      now: clock.now,
      setTimer: (callback: () => void, delayMs: number) => {
        waits.add(delayMs);
        return clock.setTimer(callback, delayMs);
      },
    };
    await scene.queue.submitMany(task, Array(5).fill(10));
    scene.startWorker({ tasks: [task], clock: watchedClock, concurrency: 5 });

    await scene.clock.advance('1s');

    expect(await scene.queue.counts()).toMatchObject({ ended: { completed: 5 } });
    expect(waits.has(100)).toBe(false);
  });

  it.each(['release', 'stall', 'finish'])(
    'gives back what it prefetched when it stops (%s)',
    async (onShutdown) => {
      const scene = setScene();
      const { task, startedAt } = timedTask(scene, { onShutdown });
      for (const key of ['quick', 'slow', 'prefetched']) {
        await scene.queue.submit(task, key === 'slow' ? 3_000 : 0, { key });
      }
      const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10 });
      await scene.clock.advance(50);
      expect(await scene.queue.get('timed@prefetched')).toMatchObject({ state: 'started' });

      const stopped = worker.stop();
      await scene.clock.advance(0);
      expect(await scene.queue.get('timed@prefetched')).toMatchObject({ state: 'submitted' });
      await scene.clock.advance('5s');
      await stopped;

      expect(await scene.queue.get('timed@prefetched')).toMatchObject({
        state: 'submitted',
        releases: 1,
        stalls: 0,
      });
      expect(startedAt).toHaveLength(2);
    },
  );

  it('passes a cancel request to what it prefetched', async () => {
    const scene = setScene();
    const { task, startedAt } = timedTask(scene);
    for (const key of ['quick', 'slow', 'prefetched']) {
      await scene.queue.submit(task, key === 'slow' ? 4_000 : 0, { key });
    }
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10 });
    await scene.clock.advance(50);

    expect(await scene.queue.cancel('timed@prefetched')).toBe('requested');
    await scene.clock.advance('10s');

    expect(await scene.queue.get('timed@prefetched')).toMatchObject({ state: 'cancelled' });
    expect(worker.emittedOf('fenced')).toEqual([]);
    expect(startedAt).toHaveLength(2);
  });

  it('prefetches no more of a task than its maxConcurrent allows', async () => {
    const scene = setScene();
    const { task } = timedTask(scene, { maxConcurrent: 3 });
    const { broker, mostStarted } = watched(scene.broker);
    await scene.queue.submitMany(task, Array(50).fill(1));
    scene.startWorker({ tasks: [task], broker, concurrency: 2, prefetch: 20 });

    await scene.clock.advance('1s');

    expect(await scene.queue.counts()).toMatchObject({ ended: { completed: 50 } });
    expect(mostStarted()).toBe(3);
  });

  it('prefetches no more of a task than its rate limit allows', async () => {
    const scene = setScene();
    const { task } = timedTask(scene, { rateLimit: { limit: 3, window: '1m' } });
    await scene.queue.submitMany(task, Array(20).fill(1));
    const worker = scene.startWorker({ tasks: [task], concurrency: 5, prefetch: 20 });

    await scene.clock.advance('50s');

    expect(worker.emittedOf('completed')).toHaveLength(3);
    expect(worker.emittedOf('limited')).toEqual([]);
    expect(await scene.queue.counts()).toMatchObject({ started: 0, submitted: 17 });
  });

  it('reports how late a run really starts', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    for (const key of ['quick', 'slow', 'prefetched']) {
      await scene.queue.submit(task, key === 'slow' ? 80 : 0, { key });
    }
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10 });

    await scene.clock.advance('5s');

    expect(worker.emittedOf('started')).toMatchObject([
      { id: 'timed@quick', latenessMs: 0 },
      { id: 'timed@slow', latenessMs: 0 },
      { id: 'timed@prefetched', latenessMs: 80 },
    ]);
  });

  it.each([-1, 1.5, Number.NaN, 'most'])('is auto or a whole number from 0 on, not %s', (prefetch) => {
    const { startWorker } = setScene();

    expect(() => startWorker({ tasks: [timedTask(setScene()).task], prefetch: prefetch as number })).toThrow(
      /prefetch must be 'auto' or an integer ≥ 0/,
    );
  });
});

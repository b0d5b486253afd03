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
  const exchange: Broker['settleAndClaim'] = async (request) => {
    if (request.claim !== undefined) claims.push(request.claim);
    const reply = await broker.settleAndClaim(request);
    most = Math.max(most, (await broker.audit()).started);
    return reply;
  };
  return { broker: { ...broker, settleAndClaim: exchange }, claims, mostStarted: () => most };
}

const DAY_MS = 86_400_000;

describe('prefetch', () => {
  it('starts the next run without asking for it: far fewer exchanges', async () => {
    const exchanges = async (prefetch: number): Promise<number> => {
      const scene = setScene();
      const { task, startedAt } = timedTask(scene);
      const { broker, claims } = watched(scene.broker);
      await scene.queue.submitMany(task, Array(200).fill(0));
      scene.startWorker({ tasks: [task], broker, concurrency: 1, prefetch });
      for (let second = 0; second < 30; second += 1) await scene.clock.advance('1s');
      expect(startedAt).toHaveLength(200);
      return claims.length;
    };

    expect(await exchanges(50)).toBeLessThan((await exchanges(0)) / 5);
  });

  it('never starts more than concurrency at a time, nor holds more than prefetch', async () => {
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

  it('hoards nothing where runs take long', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    await scene.queue.submitMany(task, Array(50).fill(5_000));
    scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 20 });

    await scene.clock.advance('21s');

    expect(await scene.queue.counts()).toMatchObject({ started: 1, ended: { completed: 4 } });
  });

  it('gives back what it held too long, uncharged, once a run takes longer than the others did', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    const keys = ['quick', 'slow', 'held-1', 'held-2'];
    for (const key of keys) await scene.queue.submit(task, key === 'slow' ? DAY_MS : 0, { key });
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10, lease: '9s' });
    await scene.clock.advance('1s');
    expect(await scene.queue.get('timed@held-2')).toMatchObject({ state: 'started' });

    await scene.clock.advance('6s');

    for (const key of ['held-1', 'held-2']) {
      expect(await scene.queue.get(`timed@${key}`)).toMatchObject({
        state: 'submitted',
        releases: 1,
        failures: 0,
      });
    }
    expect(worker.toldOf('released')).toHaveLength(2);
    expect(await scene.queue.get('timed@slow')).toMatchObject({ state: 'started', releases: 0 });
  });

  it.each(['release', 'stall', 'finish'])(
    'gives back what it holds when it stops (%s)',
    async (onShutdown) => {
      const scene = setScene();
      const { task, startedAt } = timedTask(scene, { onShutdown });
      for (const key of ['quick', 'slow', 'held']) {
        await scene.queue.submit(task, key === 'slow' ? 3_000 : 0, { key });
      }
      const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10 });
      await scene.clock.advance('1s');
      expect(await scene.queue.get('timed@held')).toMatchObject({ state: 'started' });

      const stopped = worker.stop();
      await scene.clock.advance('5s');
      await stopped;

      expect(await scene.queue.get('timed@held')).toMatchObject({
        state: 'submitted',
        releases: 1,
        stalls: 0,
      });
      expect(startedAt).toHaveLength(2);
    },
  );

  it('keeps the lease of what it holds, and hears of its cancellation', async () => {
    const scene = setScene();
    const { task, startedAt } = timedTask(scene);
    for (const key of ['quick', 'slow', 'held']) {
      await scene.queue.submit(task, key === 'slow' ? 4_000 : 0, { key });
    }
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10, lease: '9s' });
    await scene.clock.advance('1s');

    expect(await scene.queue.cancel('timed@held')).toBe('requested');
    await scene.clock.advance('10s');

    expect(await scene.queue.get('timed@held')).toMatchObject({ state: 'cancelled' });
    expect(worker.toldOf('fenced')).toEqual([]);
    expect(startedAt).toHaveLength(2);
  });

  it('holds no more of a task than its maxConcurrent allows', async () => {
    const scene = setScene();
    const { task } = timedTask(scene, { maxConcurrent: 3 });
    const { broker, mostStarted } = watched(scene.broker);
    await scene.queue.submitMany(task, Array(50).fill(1));
    scene.startWorker({ tasks: [task], broker, concurrency: 2, prefetch: 20 });

    await scene.clock.advance('1s');

    expect(await scene.queue.counts()).toMatchObject({ ended: { completed: 50 } });
    expect(mostStarted()).toBe(3);
  });

  it('holds no more of a task than its rate limit allows', async () => {
    const scene = setScene();
    const { task } = timedTask(scene, { rateLimit: { limit: 3, window: '1m' } });
    await scene.queue.submitMany(task, Array(20).fill(1));
    const worker = scene.startWorker({ tasks: [task], concurrency: 5, prefetch: 20 });

    await scene.clock.advance('50s');

    expect(worker.toldOf('completed')).toHaveLength(3);
    expect(worker.toldOf('limited')).toEqual([]);
    expect(await scene.queue.counts()).toMatchObject({ started: 0, submitted: 17 });
  });

  it('tells how late a run really starts', async () => {
    const scene = setScene();
    const { task } = timedTask(scene);
    for (const key of ['quick', 'slow', 'held']) {
      await scene.queue.submit(task, key === 'slow' ? 2_000 : 0, { key });
    }
    const worker = scene.startWorker({ tasks: [task], concurrency: 1, prefetch: 10 });

    await scene.clock.advance('5s');

    expect(worker.toldOf('started')).toMatchObject([
      { id: 'timed@quick', latenessMs: 0 },
      { id: 'timed@slow', latenessMs: 0 },
      { id: 'timed@held', latenessMs: 2_000 },
    ]);
  });

  it.each([-1, 1.5, Number.NaN])('must be a whole number from 0 on, not %s', (prefetch) => {
    const { startWorker } = setScene();

    expect(() => startWorker({ tasks: [timedTask(setScene()).task], prefetch })).toThrow(
      /prefetch must be an integer ≥ 0/,
    );
  });
});

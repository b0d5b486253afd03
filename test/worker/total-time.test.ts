import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

const LIMITED = { globalRateLimit: { limit: 2, window: '1m' } } as const;
const IN_30_S = { maxAttempts: 1, totalTimeout: '30s' } as const;

/** Starts three workers that share the limit: each time that it is reached, they give runs back. */
async function workTogether(scene: Scene, task: Parameters<Scene['startWorker']>[0]['tasks'][number]) {
  const workers = [1, 2, 3].map(() => scene.startWorker({ tasks: [task] }));
  await scene.clock.advance('20m');
  return {
    released: workers.flatMap((worker) => worker.emittedOf('released')),
    failed: workers.flatMap((worker) => worker.emittedOf('failed')),
  };
}

describe('the total time of a run that is given back before its handler was called', () => {
  it('has not begun while a limit of all workers lets the run wait', async () => {
    const scene = setScene();
    const task = defineTask({ name: 'a', ...LIMITED, retry: IN_30_S, run: async () => {} });
    await scene.queue.submitMany(task, Array(8).fill(null));

    const { released, failed } = await workTogether(scene, task);

    expect(released).not.toEqual([]);
    expect(failed).toEqual([]);
    expect((await scene.queue.counts()).ended.completed).toBe(8);
  });

  it('has not begun while rateLimitRetry puts the run off', async () => {
    const scene = setScene();
    const task = defineTask({
      name: 'a',
      rateLimit: { limit: 1, window: '1m' },
      rateLimitRetry: { backoff: { type: 'constant', base: '20s' }, jitter: 'none' },
      retry: IN_30_S,
      run: async () => {},
    });
    const [, second] = await scene.queue.submitMany(task, [null, null]);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('2m');

    const run = await scene.queue.get(second?.id ?? '');
    expect(run).toMatchObject({ state: 'completed', rateLimits: 3, firstStartedAt: 60_000 });
  });

  it('begins anew for a redriven run', async () => {
    const scene = setScene();
    const failing = defineTask({ name: 'a', retry: IN_30_S, run: () => Promise.reject(new Error('boom')) });
    await scene.queue.submitMany(failing, Array(8).fill(null));
    const before = scene.startWorker({ tasks: [failing] });
    await scene.clock.advance('2m');
    await before.stop();
    await scene.queue.deadLetters.redrive({ all: true });
    const task = defineTask({ name: 'a', ...LIMITED, retry: IN_30_S, run: async () => {} });

    const { released, failed } = await workTogether(scene, task);

    expect(released).not.toEqual([]);
    expect(failed).toEqual([]);
  });

  it('has begun for one whose handler was called in an earlier attempt', async () => {
    const scene = setScene();
    let calls = 0;
    const task = defineTask({
      name: 'a',
      rateLimit: { limit: 1, window: '25s' },
      rateLimitRetry: { backoff: { type: 'constant', base: '10s' }, jitter: 'none' },
      retry: {
        maxAttempts: 9,
        backoff: { type: 'constant', base: '5s' },
        jitter: 'none',
        totalTimeout: '28s',
      },
      run: async () => {
        calls += 1;
        await pass(scene.clock, 1_000);
        throw new Error('boom');
      },
    });
    const { id } = await scene.queue.submit(task, null);
    scene.startWorker({ tasks: [task] });

    await scene.clock.advance('2m');

    expect(calls).toBe(2);
    expect(await scene.queue.get(id)).toMatchObject({ state: 'failed', firstStartedAt: 0, endedAt: 27_000 });
  });
});

/** Every run asks a limit of all workers first, which takes 80 ms to answer. */
const ASKS_FIRST = { globalRateLimit: { limit: 1_000, window: '1m' } } as const;

function slowToReserve({ broker, clock }: Scene): Broker {
  const reserve: Broker['reserve'] = async (requests) => {
    await pass(clock, 80);
    return broker.reserve(requests);
  };
  return { ...broker, reserve };
}

describe('the total time of a run that waits in its worker until its handler is called', () => {
  const work = async (scene: Scene, task: Parameters<Scene['startWorker']>[0]['tasks'][number]) => {
    scene.startWorker({ tasks: [task], broker: slowToReserve(scene) });
    await scene.clock.advance(5_000);
  };

  it('has not begun', async () => {
    const scene = setScene();
    const retry = { maxAttempts: 1, totalTimeout: 50 };
    const task = defineTask({ name: 'a', ...ASKS_FIRST, retry, run: async () => {} });
    const { id } = await scene.queue.submit(task, null);

    await work(scene, task);

    expect(await scene.queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('is whole for its attempts, the first of which begins with that call', async () => {
    const scene = setScene();
    const calls: number[] = [];
    const left: number[] = [];
    const task = defineTask({
      name: 'a',
      ...ASKS_FIRST,
      retry: {
        maxAttempts: 9,
        backoff: { type: 'constant', base: 20 },
        jitter: 'none',
        totalTimeout: 250,
      },
      run: async (_: unknown, { remainingMs }) => {
        calls.push(scene.clock.now());
        left.push(remainingMs);
        throw new Error('boom');
      },
    });
    const { id } = await scene.queue.submit(task, null);

    await work(scene, task);

    expect(calls).toEqual([80, 180, 280]);
    expect(left).toEqual([250, 150, 50]);
    expect(await scene.queue.get(id)).toMatchObject({ state: 'failed', firstStartedAt: 80 });
  });

  it('has not begun for one that was redriven', async () => {
    const scene = setScene();
    const retry = { maxAttempts: 1, totalTimeout: 50 };
    const failing = defineTask({ name: 'a', retry, run: () => Promise.reject(new Error('boom')) });
    const { id } = await scene.queue.submit(failing, null);
    const before = scene.startWorker({ tasks: [failing] });
    await scene.clock.advance('1s');
    await before.stop();
    await scene.queue.deadLetters.redrive({ all: true });
    const task = defineTask({ name: 'a', ...ASKS_FIRST, retry, run: async () => {} });

    await work(scene, task);

    expect(await scene.queue.get(id)).toMatchObject({ state: 'completed' });
  });
});

describe('the total time of a redriven run', () => {
  it('is whole for its attempts, however long it has waited in its lane', async () => {
    const scene = setScene();
    const left: number[] = [];
    const task = defineTask({
      name: 'a',
      retry: {
        maxAttempts: 3,
        backoff: { type: 'constant', base: '10s' },
        jitter: 'none',
        totalTimeout: '30s',
      },
      run: async (_: unknown, { remainingMs }) => {
        left.push(remainingMs);
        throw new Error('boom');
      },
    });
    const { id } = await scene.queue.submit(task, null);
    const before = scene.startWorker({ tasks: [task] });
    await scene.clock.advance('1m');
    await before.stop();
    await scene.queue.deadLetters.redrive({ all: true });
    await scene.clock.advance('10m');

    scene.startWorker({ tasks: [task] });
    await scene.clock.advance('1m');

    expect(left).toEqual([30_000, 20_000, 10_000, 30_000, 20_000, 10_000]);
    expect(await scene.queue.get(id)).toMatchObject({ state: 'failed', failures: 3 });
  });
});

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

import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';

/** How many runs may be running, or start, at a time. */
export function describeLimits(scene: WorkerScene): void {
  const meter = () => {
    const seen = { running: 0, most: 0, startedAt: [] as number[] };
    const run = async (): Promise<void> => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      seen.startedAt.push(scene.now());
      await scene.rest(20);
      seen.running -= 1;
    };
    return { seen, run };
  };

  describe('limits', () => {
    it('starts few retries while new runs wait, with a retryShare, and then all of them', async () => {
      const attempts: number[] = [];
      const task = defineTask({
        name: 'shared',
        retryShare: 0.1,
        retry: { backoff: { type: 'constant', base: '5ms' }, jitter: 'none' },
        run: async (_: null, { attempt }) => {
          attempts.push(attempt);
          await scene.rest(5);
          if (attempt < 4) throw new Error('out');
        },
      });
      await scene.queue.submitMany(task, Array(60).fill(null));
      const worker = await scene.startWorker({ tasks: [task], concurrency: 2 });

      await worker.whenIdle();

      const whileNewWait = attempts.slice(0, attempts.lastIndexOf(1));
      // One is what a worker may have saved, another one what a claim under way allows it.
      expect(whileNewWait.filter((attempt) => attempt > 1).length).toBeLessThanOrEqual(
        whileNewWait.length * 0.1 + 2,
      );
      expect(whileNewWait.filter((attempt) => attempt > 1).length).toBeGreaterThanOrEqual(3);
      expect(attempts.length).toBe(240);
      expect((await scene.queue.counts()).ended.completed).toBe(60);
    });

    it('lets the keys of a lane take turns, with fairness, across workers', async () => {
      const started: string[] = [];
      const task = defineTask({
        name: 'fair',
        fairness: (tenant: string) => tenant,
        run: async (tenant: string) => {
          started.push(tenant);
          await scene.rest(5);
        },
      });
      await scene.queue.submitMany(task, Array(200).fill('big'));
      await scene.queue.submitMany(task, Array(10).fill('small'));
      const workers = await Promise.all(
        [1, 2].map(() => scene.startWorker({ tasks: [task], concurrency: 2 })),
      );

      await Promise.all(workers.map((worker) => worker.whenIdle()));

      // By turn they are the first 20; what the workers claim in advance may overtake some of them.
      expect(started.lastIndexOf('small')).toBeLessThan(60);
      expect(started.length).toBe(210);
      expect((await scene.queue.counts()).ended.completed).toBe(210);
    });

    it('applies globalConcurrency across all workers', async () => {
      const { seen, run } = meter();
      const task = defineTask({ name: 'narrow', globalConcurrency: 2, run });
      await scene.queue.submitMany(task, Array(10).fill(null));
      const first = await scene.startWorker({ tasks: [task] });
      const second = await scene.startWorker({ tasks: [task] });

      await Promise.all([first.whenIdle(), second.whenIdle()]);

      expect(seen.most).toBe(2);
      expect((await scene.queue.counts()).ended.completed).toBe(10);
    });

    it.each([
      ['no limit', undefined],
      ['a higher limit', 8],
    ])(
      'applies the globalConcurrency of the executing task to runs that were submitted with %s',
      async (_, globalConcurrency) => {
        const { seen, run } = meter();
        const ofProducer = defineTask({ name: 'narrow', globalConcurrency, run });
        await scene.queue.submitMany(ofProducer, Array(20).fill(null));
        const task = defineTask({ name: 'narrow', globalConcurrency: 2, run });
        const first = await scene.startWorker({ tasks: [task] });
        const second = await scene.startWorker({ tasks: [task] });
        await (await scene.openQueue()).submitMany(ofProducer, Array(5).fill(null));

        await Promise.all([first.whenIdle(), second.whenIdle()]);

        expect(seen.most).toBe(2);
        expect((await scene.queue.counts()).ended.completed).toBe(25);
      },
    );

    it('applies the globalConcurrency of the executing task to runs that were submitted with keys of their own', async () => {
      const { seen, run } = meter();
      const byUser: Record<string, number> = {};
      const mostByUser: Record<string, number> = {};
      const task = defineTask({
        name: 'narrow',
        globalConcurrency: 2,
        run: async (user: string) => {
          byUser[user] = (byUser[user] ?? 0) + 1;
          mostByUser[user] = Math.max(mostByUser[user] ?? 0, byUser[user]);
          await run();
          byUser[user] -= 1;
        },
      });
      for (const user of Array.from({ length: 20 }, (_, index) => `user-${index % 10}`))
        await scene.queue.submit(task, user, { concurrency: { key: user, limit: 1 } });
      await scene.queue.submitMany(task, Array(5).fill('nobody'));
      const first = await scene.startWorker({ tasks: [task] });
      const second = await scene.startWorker({ tasks: [task] });

      await Promise.all([first.whenIdle(), second.whenIdle()]);

      expect(seen.most).toBe(2);
      expect(
        Math.max(...Object.entries(mostByUser).flatMap(([user, most]) => (user === 'nobody' ? [] : most))),
      ).toBe(1);
      expect((await scene.queue.counts()).ended.completed).toBe(25);
    });

    it('applies the globalConcurrency of a new deploy at once, a lower and a higher one', async () => {
      const { seen, run } = meter();
      const narrow = (globalConcurrency: number) => defineTask({ name: 'narrow', globalConcurrency, run });
      const work = async (limit: number, count: number): Promise<number> => {
        seen.most = 0;
        const worker = await scene.startWorker({ tasks: [narrow(limit)], concurrency: 20 });
        while ((await scene.queue.counts()).ended.completed < count) await scene.rest(5);
        await worker.stop();
        return seen.most;
      };
      await scene.queue.submitMany(narrow(8), Array(60).fill(null));

      const most = [await work(8, 8), await work(2, 30), await work(5, 60)];

      expect(most).toEqual([8, 2, 5]);
    });

    it('applies a rate limit', async () => {
      const { seen, run } = meter();
      const task = defineTask({ name: 'rated', rateLimit: { limit: 2, window: 200 }, run });
      await scene.queue.submitMany(task, Array(6).fill(null));
      const worker = await scene.startWorker({ tasks: [task] });

      await worker.whenIdle();

      const [first = 0, , third = 0, , fifth = 0] = seen.startedAt;
      expect(seen.startedAt).toHaveLength(6);
      // A timer may fire a millisecond early by another clock.
      expect(third - first).toBeGreaterThanOrEqual(198);
      expect(fifth - third).toBeGreaterThanOrEqual(198);
    });

    it('applies a rate limit across all workers', async () => {
      const { seen, run } = meter();
      const task = defineTask({ name: 'shared', globalRateLimit: { limit: 3, window: 300 }, run });
      await scene.queue.submitMany(task, Array(12).fill(null));
      const first = await scene.startWorker({ tasks: [task] });
      const second = await scene.startWorker({ tasks: [task] });

      await Promise.all([first.whenIdle(), second.whenIdle()]);

      const [start = 0, , , , , , , , , tenth = 0] = seen.startedAt;
      expect(seen.startedAt).toHaveLength(12);
      // Three windows lie between their reservations; the first one may have started some time after its own.
      expect(tenth - start).toBeGreaterThanOrEqual(700);
      expect((await scene.queue.counts()).ended.completed).toBe(12);
    });

    it('counts what runs have cost beyond their estimate, across all workers', async () => {
      const { seen, run } = meter();
      const task = defineTask({
        name: 'dear',
        globalRateLimit: { limit: 8, window: 300, cost: (tokens: number) => tokens },
        run: async (tokens: number, { spend }) => {
          spend(2 * tokens);
          await run();
        },
      });
      await scene.queue.submitMany(task, Array(6).fill(4));
      const first = await scene.startWorker({ tasks: [task] });
      const second = await scene.startWorker({ tasks: [task] });

      await Promise.all([first.whenIdle(), second.whenIdle()]);

      const [start = 0, , , , fifth = 0] = seen.startedAt;
      expect(seen.startedAt).toHaveLength(6);
      // Two estimates fit into a window, and what two have cost into two of them.
      expect(fifth - start).toBeGreaterThanOrEqual(500);
      expect((await scene.queue.counts()).ended.completed).toBe(6);
    });

    it('lets other workers start what a run has not spent', async () => {
      const { seen, run } = meter();
      const task = defineTask({
        name: 'cheap',
        globalRateLimit: { limit: 8, window: '10m', cost: () => 5 },
        run: async (_: null, { spend }) => {
          await run();
          spend(1);
        },
      });
      await scene.queue.submitMany(task, Array(4).fill(null));
      const workers = [
        await scene.startWorker({ tasks: [task], concurrency: 1 }),
        await scene.startWorker({ tasks: [task], concurrency: 1 }),
      ];

      await Promise.all(workers.map((worker) => worker.whenIdle()));

      expect(seen.most).toBe(1);
      expect((await scene.queue.counts()).ended.completed).toBe(4);
    });

    it('takes nothing of the total time from runs that a limit of all workers lets wait', async () => {
      const limit = { globalRateLimit: { limit: 2, window: 300 }, retry: { totalTimeout: 200 } };
      const task = defineTask({ name: 'waiting', ...limit, run: async () => {} });
      await scene.queue.submitMany(task, Array(8).fill(null));
      const first = await scene.startWorker({ tasks: [task] });
      const second = await scene.startWorker({ tasks: [task] });

      await Promise.all([first.whenIdle(), second.whenIdle()]);

      expect((await scene.queue.counts()).ended).toMatchObject({ completed: 8, failed: 0 });
    });

    it('is idle once no run is submitted, scheduled or started', async () => {
      const { run } = meter();
      const task = defineTask({ name: 'drained', run });
      await scene.queue.submitMany(task, Array(5).fill(null));
      await scene.queue.submit(task, null, { delay: 100 });
      const worker = await scene.startWorker({ tasks: [task], concurrency: 2 });

      await worker.whenIdle();

      expect(await scene.queue.counts()).toMatchObject({
        submitted: 0,
        scheduled: 0,
        started: 0,
        ended: { completed: 6 },
      });
    });
  });
}

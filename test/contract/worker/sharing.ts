import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import type { WorkerScene } from './worker-scene.ts';

const WORKERS = 4;
const SHORT_RUNS = 2_000;
const LONG_RUNS = 40;
const LONG_MS = 150;

/** How runs are divided among workers that claim in advance. */
export function describeSharing(scene: WorkerScene): void {
  describe('sharing', () => {
    it.each(['auto', 500] as const)(
      'divides long runs evenly among workers that have seen only short ones (prefetch %s)',
      async (prefetch) => {
        const longRunsOf = Array<number>(WORKERS).fill(0);
        const taskOf = (worker: number) =>
          defineTask({
            name: 'shared',
            run: async (runMs: number) => {
              if (runMs === 0) return;
              longRunsOf[worker] = (longRunsOf[worker] ?? 0) + 1;
              await scene.rest(runMs);
            },
          });
        const task = taskOf(0);
        await scene.queue.submitMany(task, Array(SHORT_RUNS).fill(0));
        const long = await scene.queue.submitMany(task, Array(LONG_RUNS).fill(LONG_MS));
        const startedAt = scene.now();
        const workers = await Promise.all(
          longRunsOf.map((_, worker) =>
            scene.startWorker({ tasks: [taskOf(worker)], concurrency: 1, prefetch }),
          ),
        );

        await workers[0]?.whenIdle();

        const elapsedMs = scene.now() - startedAt;
        const ended = await scene.broker.get(long.map(({ id }) => id));
        expect(longRunsOf.reduce((sum, count) => sum + count)).toBe(LONG_RUNS);
        // Ten each; a worker that another process of this machine delays falls behind, but none hoards: without giving back,
        // one or two workers get everything.
        expect(Math.max(...longRunsOf)).toBeLessThan(LONG_RUNS / 2);
        for (const run of ended) {
          expect(run).toMatchObject({ state: 'completed', failures: 0, stalls: 0 });
          // A run waits for 100 ms each time before it is given back.
          expect(run?.releases).toBeLessThanOrEqual(elapsedMs / 100 + 1);
        }
      },
    );
  });
}

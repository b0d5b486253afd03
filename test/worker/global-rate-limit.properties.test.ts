import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

const plays = fc.record({
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.constantFrom(7, 40, 1_000, 6_000),
  workers: fc.integer({ min: 1, max: 4 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  durationMs: fc.constantFrom(0, 1, 30, 2_500),
  runs: fc.integer({ min: 1, max: 60 }),
  /** Of how many calls of `reserve` one fails; 0: none. */
  failsEvery: fc.constantFrom(0, 0, 2, 5),
  maxConcurrent: fc.constantFrom(undefined, 1, 3),
});

describe('globalRateLimit', () => {
  it('holds in every window, and every run completes once, whatever the workers do', async () => {
    const property = fc.asyncProperty(plays, async (play) => {
      const { limit, windowMs, concurrency, durationMs, runs, failsEvery, maxConcurrent } = play;
      const scene = setScene();
      const startedAt: number[] = [];
      let calls = 0;
      const reserve: typeof scene.broker.reserve = (requests) => {
        calls += 1;
        const fails = failsEvery > 0 && calls % failsEvery === 0;
        return fails ? Promise.reject(new Error('not now')) : scene.broker.reserve(requests);
      };
      const task = defineTask({
        name: 'a',
        globalRateLimit: { limit, window: windowMs },
        maxConcurrent,
        run: async () => {
          startedAt.push(Math.floor(scene.clock.now())); // as the broker reads its clock
          await pass(scene.clock, durationMs);
        },
      });
      await scene.queue.submitMany(task, Array(runs).fill(null));
      const broker = { ...scene.broker, reserve };
      const workers = Array.from({ length: play.workers }, () =>
        scene.startWorker({ broker, tasks: [task], concurrency }),
      );

      const windows = Math.ceil(runs / limit);
      const widthMs = windowMs + Math.ceil(windowMs / 32) + 10;
      const busyMs = Math.ceil(runs / Math.min(concurrency, maxConcurrent ?? concurrency)) * (durationMs + 5);
      await scene.clock.advance(windows * widthMs + busyMs + 60_000);

      const most = Math.max(
        ...startedAt.map((from) => startedAt.filter((at) => at >= from && at < from + windowMs).length),
      );
      expect(most).toBeLessThanOrEqual(limit);
      expect(startedAt).toHaveLength(runs);
      expect((await scene.broker.audit()).ended.completed).toBe(runs);
      await Promise.all(workers.map((worker) => worker.stop()));
    });

    await fc.assert(property, { numRuns: propertyRuns(1 / 4) });
  });
});

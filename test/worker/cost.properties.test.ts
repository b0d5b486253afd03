import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

interface Job {
  readonly estimate: number;
  readonly actual: number;
  readonly durationMs: number;
  /** Whether it says what it has cost before its end, at it, or never. */
  readonly says: 'half-way' | 'at the end' | 'never';
}

const jobs: fc.Arbitrary<Job> = fc.record({
  estimate: fc.integer({ min: 1, max: 8 }),
  actual: fc.integer({ min: 0, max: 20 }),
  durationMs: fc.constantFrom(0, 1, 30, 900),
  says: fc.constantFrom('half-way', 'at the end', 'at the end', 'never'),
});

const plays = fc.record({
  limit: fc.integer({ min: 8, max: 30 }),
  windowMs: fc.constantFrom(40, 1_000, 6_000),
  workers: fc.integer({ min: 1, max: 4 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  jobs: fc.array(jobs, { minLength: 1, maxLength: 40 }),
  /** Of how many calls of `reserve` one fails before it does anything; 0: none. */
  failsEvery: fc.constantFrom(0, 0, 2, 5),
});

/** One start, and since when it is known what it has cost. */
interface Start {
  readonly at: number;
  readonly job: Job;
  knownAt: number;
}

describe('starts with a cost', () => {
  it('exceed the limit of no window by more than what was under way, and every run completes once', async () => {
    const property = fc.asyncProperty(plays, async (play) => {
      const { limit, windowMs, concurrency, failsEvery } = play;
      const scene = setScene();
      const started: Start[] = [];
      let calls = 0;
      const reserve: typeof scene.broker.reserve = async (requests) => {
        calls += 1;
        if (failsEvery > 0 && calls % failsEvery === 0) throw new Error('not now');
        const answers = await scene.broker.reserve(requests);
        const now = Math.floor(scene.clock.now());
        for (const start of started) if (start.knownAt === -1) start.knownAt = now;
        return answers;
      };
      const task = defineTask({
        name: 'a',
        globalRateLimit: { limit, window: windowMs, cost: ({ estimate }: Job) => estimate },
        run: async (job: Job, { spend }) => {
          const { actual, durationMs, says } = job;
          const start: Start = { at: Math.floor(scene.clock.now()), job, knownAt: Infinity };
          started.push(start);
          const say = (): void => {
            start.knownAt = failsEvery > 0 ? Infinity : -1;
            spend(actual);
          };
          await pass(scene.clock, durationMs / 2);
          if (says === 'half-way') say();
          await pass(scene.clock, durationMs / 2);
          if (says === 'at the end') say();
        },
      });
      await scene.queue.submitMany(task, play.jobs);
      const broker = { ...scene.broker, reserve };
      const workers = Array.from({ length: play.workers }, () =>
        scene.startWorker({ broker, tasks: [task], concurrency }),
      );

      await scene.clock.advance(play.jobs.length * (windowMs * 4 + 1_000) + 60_000);

      for (const [index, { at }] of started.entries()) {
        const counted = started
          .slice(0, index + 1)
          .filter((start) => start.at > at - windowMs)
          // What is said at this very instant may be told to the broker after the start.
          .map(({ job, knownAt }) => (knownAt < at ? job.actual : Math.min(job.estimate, job.actual)));
        expect(counted.reduce((sum, cost) => sum + cost, 0)).toBeLessThanOrEqual(limit);
      }
      expect(started).toHaveLength(play.jobs.length);
      expect((await scene.broker.audit()).ended.completed).toBe(play.jobs.length);
      await Promise.all(workers.map((worker) => worker.stop()));
    });

    await fc.assert(property, { numRuns: propertyRuns(1 / 4) });
  });
});

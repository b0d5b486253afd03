import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

/** Each plays minutes of several deploys. */
const NUM_RUNS = propertyRuns(1 / 5);

/** Longer than all runs take one after another. */
const ALL_MS = 180_000;

const aLimit = fc.integer({ min: 1, max: 6 });

/** Runs that a service submits, whose definition of the task may have another limit, or none. */
const aSubmission = fc.record({
  atMs: fc.integer({ min: 0, max: 20_000 }),
  count: fc.integer({ min: 1, max: 6 }),
  limit: fc.option(aLimit, { nil: undefined }),
  key: fc.option(fc.constantFrom('ada', 'bob'), { nil: undefined }),
  holdWhileRetrying: fc.boolean(),
});

/** How many runs of each key may be running. */
const KEY_LIMIT = 2;

/** The workers of one deploy. Those of the deploy before stop as they start. */
const aDeploy = fc.record({
  forMs: fc.integer({ min: 0, max: 10_000 }),
  limit: aLimit,
  workers: fc.integer({ min: 1, max: 3 }),
});

const aPlay = fc.record({
  submissions: fc.array(aSubmission, { minLength: 1, maxLength: 4 }),
  deploys: fc.array(aDeploy, { minLength: 1, maxLength: 4 }),
  durationMs: fc.integer({ min: 0, max: 3_000 }),
  failsFirst: fc.boolean(),
});

it('starts no run beyond the globalConcurrency of the worker that starts it, whatever producers, keys and deploys before it say', async () => {
  await fc.assert(
    fc.asyncProperty(aPlay, async ({ submissions, deploys, durationMs, failsFirst }) => {
      const { clock, queue, startWorker } = setScene();
      const running = { all: 0, ada: 0, bob: 0 };
      const beyond: string[] = [];
      /** The task as a service or a worker has it. */
      const taskOf = (limit: number | undefined) =>
        defineTask({
          name: 'any',
          globalConcurrency: limit,
          retry: { maxAttempts: 2, backoff: { type: 'constant', base: '3s' }, jitter: 'none' },
          run: async (key: 'ada' | 'bob' | null, { attempt }) => {
            running.all += 1;
            if (limit !== undefined && running.all > limit) beyond.push(`${running.all} of ${limit}`);
            if (key !== null && ++running[key] > KEY_LIMIT) beyond.push(`${running[key]} of ${key}`);
            await pass(clock, durationMs);
            running.all -= 1;
            if (key !== null) running[key] -= 1;
            if (failsFirst && attempt === 1) throw new Error('again');
          },
        });
      for (const { atMs, count, limit, key, holdWhileRetrying } of submissions) {
        const options = key && { concurrency: { key, limit: KEY_LIMIT, holdWhileRetrying } };
        const payloads = Array.from({ length: count }, () => key ?? null);
        clock.setTimer(() => void queue.submitMany(taskOf(limit), payloads, options), atMs);
      }

      const last = deploys.length - 1;
      for (const [index, { forMs, limit, workers }] of deploys.entries()) {
        const actors = Array.from({ length: workers }, () =>
          startWorker({ tasks: [taskOf(limit)], concurrency: 4 }),
        );
        await clock.advance(index === last ? ALL_MS : forMs);
        if (index < last) for (const actor of actors) void actor.stop();
      }

      expect(beyond).toEqual([]);
      const { ended, submitted, scheduled, started } = await queue.counts();
      expect([submitted, scheduled, started]).toEqual([0, 0, 0]);
      expect(ended.completed).toBe(submissions.reduce((sum, { count }) => sum + count, 0));
    }),
    { numRuns: NUM_RUNS },
  );
});

import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

const TIMEOUT_MS = 1_000;
const ABANDON_MS = 5_000;

/** Each plays minutes of up to three workers' lives. */
const NUM_RUNS = propertyRuns(1 / 10);

/** A run whose handler takes this long in each attempt, and what happens to it. */
const aRun = fc.record({
  durationMs: fc.integer({ min: 0, max: 2 * ABANDON_MS }),
  doesObey: fc.boolean(),
  cancelAtMs: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: undefined }),
});

const aPlay = fc.record({
  runs: fc.array(aRun, { minLength: 1, maxLength: 8 }),
  concurrency: fc.integer({ min: 1, max: 3 }),
  globalConcurrency: fc.integer({ min: 1, max: 3 }),
  workers: fc.integer({ min: 1, max: 3 }),
  holdWhileRetrying: fc.boolean(),
});

it('has never more handlers at a time than any limit says, abandoned ones aside, whatever they ignore', async () => {
  await fc.assert(
    fc.asyncProperty(aPlay, async ({ runs, concurrency, globalConcurrency, workers, holdWhileRetrying }) => {
      const { clock, queue, startWorker } = setScene();
      /** Epochs that run, by worker, without those that were abandoned. */
      const running = new Map<string, Set<string>>();
      const most = { inOne: 0, inAll: 0, ofOneRun: 0 };
      const note = (): void => {
        const all = [...running.values()].flatMap((epochs) => [...epochs]);
        const ids = all.map((epoch) => epoch.split('/')[0]);
        most.inAll = Math.max(most.inAll, all.length);
        most.ofOneRun = Math.max(most.ofOneRun, all.length - new Set(ids).size + 1);
        for (const { size } of running.values()) most.inOne = Math.max(most.inOne, size);
      };
      const taskOf = (worker: string) =>
        defineTask({
          name: 'any',
          retry: { maxAttempts: 3, backoff: { type: 'none' }, jitter: 'none', attemptTimeout: TIMEOUT_MS },
          run: async (
            { durationMs, doesObey }: { durationMs: number; doesObey: boolean },
            { id, epoch, signal },
          ) => {
            const epochs = running.get(worker) ?? new Set();
            running.set(worker, epochs.add(`${id}/${epoch}`));
            note();
            const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
            await (doesObey ? Promise.race([pass(clock, durationMs), stopped]) : pass(clock, durationMs));
            epochs.delete(`${id}/${epoch}`);
          },
        });
      const options = { concurrency: { key: 'k', limit: globalConcurrency, holdWhileRetrying } };
      for (let worker = 0; worker < workers; worker += 1) {
        const actor = startWorker({ tasks: [taskOf(`${worker}`)], concurrency, abandonAfter: ABANDON_MS });
        actor.on('abandoned', ({ id, epoch }) => void running.get(`${worker}`)?.delete(`${id}/${epoch}`));
      }
      const submitted = await queue.submitMany(
        taskOf(''),
        runs.map(({ durationMs, doesObey }) => ({ durationMs, doesObey })),
        options,
      );
      submitted.forEach(({ id }, index) => {
        const { cancelAtMs } = runs[index] ?? {};
        if (cancelAtMs !== undefined) clock.setTimer(() => void queue.cancel(id), cancelAtMs);
      });

      await clock.advance('3m');

      expect(most.inOne).toBeLessThanOrEqual(concurrency);
      expect(most.inAll).toBeLessThanOrEqual(globalConcurrency);
      expect(most.ofOneRun).toBeLessThanOrEqual(1);
      const { submitted: waiting, scheduled, started } = await queue.counts();
      expect(waiting + scheduled + started).toBe(0);
    }),
    { numRuns: NUM_RUNS },
  );
});

import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

const HOUR_MS = 3_600_000;

const plays = fc.record({
  workers: fc.integer({ min: 1, max: 3 }),
  concurrency: fc.integer({ min: 1, max: 8 }),
  maxMs: fc.constantFrom(500, 4_000, 2 * HOUR_MS),
  /** Of each run, how long its handler takes and what its server asks for; 0: it completes. */
  runs: fc.array(
    fc.record({
      tookMs: fc.constantFrom(0, 3, 40),
      askedMs: fc.constantFrom(0, 0, 0, 200, 3_000, 6_000, 3 * HOUR_MS),
    }),
    { minLength: 1, maxLength: 40 },
  ),
});

describe('adapt', () => {
  it('holds the lane until the server may be asked and never beyond the bound, with two calls at most for what fails together', async () => {
    const property = fc.asyncProperty(plays, async ({ workers, concurrency, maxMs, runs }) => {
      const { clock, queue, broker, startWorker } = setScene();
      const boundMs = Math.min(maxMs, HOUR_MS);
      const startedAt: number[] = [];
      const asked: { at: number; until: number }[] = [];
      const writtenAt: number[] = [];
      const stored: { heldAt: number; until: number }[] = [];
      const write: typeof broker.notes.write = async (writes) => {
        const answer = await broker.notes.write(writes);
        if (!writes.some(({ key }) => key.startsWith('hold/'))) return answer;
        writtenAt.push(clock.now());
        const [hold] = await queue.holds();
        if (hold?.until !== undefined) stored.push({ heldAt: hold.heldAt, until: hold.until });
        return answer;
      };
      const task = defineTask({
        name: 'call',
        adapt: true,
        retry: { maxAttempts: 1, retryAfter: { max: maxMs } },
        run: async ({ tookMs, askedMs }: (typeof runs)[number]) => {
          startedAt.push(clock.now());
          if (tookMs > 0) await pass(clock, tookMs);
          if (askedMs === 0) return;
          asked.push({ at: clock.now(), until: clock.now() + Math.min(askedMs, boundMs) });
          throw Object.assign(new Error('HTTP 429'), { headers: { 'retry-after-ms': String(askedMs) } });
        },
      });
      await queue.submitMany(task, runs);
      const started = Array.from({ length: workers }, (_, index) =>
        startWorker({
          ...{ tasks: [task], concurrency, prefetch: 0, name: `worker-${index}` },
          broker: { ...broker, notes: { ...broker.notes, write } },
        }),
      );

      await clock.advance((runs.length + 1) * (boundMs + 100));

      expect((await broker.audit()).ended).toMatchObject({
        completed: runs.filter(({ askedMs }) => askedMs === 0).length,
        failed: asked.length,
      });
      for (const { heldAt, until } of stored) {
        expect(until - heldAt).toBeLessThanOrEqual(boundMs);
        expect(startedAt.filter((at) => at > heldAt && at < until)).toEqual([]);
      }
      for (const { at, until } of asked)
        expect(startedAt.filter((start) => start > at && start < until)).toEqual([]);
      for (const at of new Set(writtenAt))
        expect(writtenAt.filter((other) => other === at).length).toBeLessThanOrEqual(2 * workers);
      await Promise.all(started.map((worker) => worker.stop()));
    });

    await fc.assert(property, { numRuns: propertyRuns(1 / 8) });
  });
});

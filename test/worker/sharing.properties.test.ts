import type { Broker } from '@retry/core/broker';
import type { WorkerOptions } from '@retry/worker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import type { Scene } from './scene.ts';
import { pass, setScene } from './scene.ts';

/** What one of several workers did. */
interface Seen {
  readonly worker: ReturnType<Scene['startWorker']>;
  /** How many runs it has executed, by how long they took. */
  readonly ended: Map<number, number>;
  /** How long each of its runs waited in it before the handler was called. */
  readonly waitsMs: number[];
  /** The instants at which it gave runs back. */
  readonly gaveBackAt: Set<number>;
}

/** Starts a worker that runs as long as payloads say. */
function startSeen(scene: Scene, options: Partial<WorkerOptions>): Seen {
  const { clock } = scene;
  const claimedAt = new Map<string, number>();
  const seen = { ended: new Map(), waitsMs: [], gaveBackAt: new Set<number>() } as Omit<Seen, 'worker'>;
  const exchange: Broker['exchange'] = async (request) => {
    const reply = await scene.broker.exchange(request);
    for (const { run } of reply.claimed) claimedAt.set(run.id, clock.now());
    return reply;
  };
  const task = defineTask({
    name: 'timed',
    run: async (runMs: number, { id }) => {
      seen.waitsMs.push(clock.now() - (claimedAt.get(id) ?? Number.NaN));
      if (runMs > 0) await pass(clock, runMs);
      seen.ended.set(runMs, (seen.ended.get(runMs) ?? 0) + 1);
    },
  });
  const worker = scene.startWorker({
    ...options,
    tasks: [task],
    broker: { ...scene.broker, exchange },
  });
  worker.on('released', () => void seen.gaveBackAt.add(clock.now()));
  return { ...seen, worker };
}

const anyTask = defineTask({ name: 'timed', run: (_: number) => {} });

describe('workers that claim in advance', () => {
  it.each([
    [1, 'auto'],
    [10, 'auto'],
    [1, 500],
    [10, 500],
  ] as const)(
    'run 40 runs of 1 s evenly after thousands of short ones: 4 workers, concurrency %s, prefetch %s',
    async (concurrency, prefetch) => {
      const scene = setScene();
      const workers = Array.from({ length: 4 }, () => startSeen(scene, { concurrency, prefetch }));
      await scene.queue.submitMany(anyTask, [...Array(4_000).fill(0), ...Array(40).fill(1_000)]);
      const evenMs = 10_000 / concurrency;

      await scene.clock.advance(evenMs + 500);

      expect(workers.map(({ ended }) => ended.get(1_000))).toEqual([10, 10, 10, 10]);
      expect(Math.max(...workers.flatMap(({ waitsMs }) => waitsMs))).toBeLessThanOrEqual(100);
    },
  );

  it('let no run wait longer than 100 ms, and give back no more often than their runs end', async () => {
    const runMs = fc.oneof(
      { weight: 6, arbitrary: fc.constant(0) },
      { weight: 2, arbitrary: fc.integer({ min: 1, max: 20 }) },
      { weight: 1, arbitrary: fc.integer({ min: 21, max: 3_000 }) },
    );
    const options = fc.record({
      concurrency: fc.integer({ min: 1, max: 8 }),
      prefetch: fc.oneof(fc.constant('auto' as const), fc.integer({ min: 0, max: 600 })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(runMs, { maxLength: 300, size: 'max' }),
        fc.array(options, { minLength: 1, maxLength: 3 }),
        async (payloads, eachOptions) => {
          const scene = setScene();
          await scene.queue.submitMany(anyTask, payloads);
          const workers = eachOptions.map((each) => startSeen(scene, each));

          await scene.clock.advance('15m');

          const { submitted, started, ended } = await scene.queue.counts();
          expect({ submitted, started, completed: ended.completed, failed: ended.failed }).toEqual({
            submitted: 0,
            started: 0,
            completed: payloads.length,
            failed: 0,
          });
          for (const { ended, waitsMs, gaveBackAt } of workers) {
            const runs = [...ended.values()].reduce((sum, count) => sum + count, 0);
            expect(Math.max(0, ...waitsMs)).toBeLessThanOrEqual(100);
            expect(gaveBackAt.size).toBeLessThanOrEqual(runs);
          }
        },
      ),
      { numRuns: propertyRuns(1 / 6) },
    );
  });
});

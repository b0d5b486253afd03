import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { pass, setScene } from './scene.ts';

const NUM_RUNS = propertyRuns(1 / 4);

/** What the broker can never keep of a guilty run: its end; its end and its usual dead letter; or nothing at all. */
type Guilt = 'none' | 'end' | 'record' | 'everything';

const runs = fc.record({
  lane: fc.nat({ max: 3 }),
  runMs: fc.constantFrom(0, 0, 5, 40),
  guilt: fc.constantFrom<Guilt>('none', 'none', 'none', 'end', 'record', 'everything'),
});

const worlds = fc.record({
  runs: fc.array(runs, { minLength: 1, maxLength: 60 }),
  badLanes: fc.subarray([0, 1, 2, 3]),
  concurrency: fc.constantFrom(1, 3, 20, 60),
  travelMs: fc.constantFrom(0, 3),
});

/** Refuses for good what it cannot keep, as a server does: the whole call, before anything of it is written. */
function refusing(broker: Broker, world: { guiltOf: (id: string) => Guilt; badLanes: ReadonlySet<string> }) {
  const exchange: Broker['exchange'] = async (request) => {
    for (const lane of request.claim?.lanes.keys() ?? []) {
      if (world.badLanes.has(lane)) throw new TypeError(`no claim of ${lane}`);
    }
    for (const { id, event, next } of request.settle ?? []) {
      const guilt = world.guiltOf(id);
      const isLeast = event === 'fail' && next.errors.every(({ stack }) => stack === undefined);
      const isKept = guilt === 'end' ? event === 'fail' : guilt === 'record' ? isLeast : guilt === 'none';
      if (!isKept) throw new RangeError(`no ${event} of ${id}`);
    }
    return broker.exchange(request);
  };
  return { ...broker, exchange };
}

describe('a broker that refuses some settlements and lanes for good', () => {
  it('keeps every other run exactly once, and stopping waits for nothing', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ runs: plans, badLanes, concurrency, travelMs }) => {
        const { clock, broker, queue, startWorker } = setScene();
        const executed = new Map<string, number>();
        const tasks = [0, 1, 2, 3].map((lane) =>
          defineTask({
            name: `lane-${lane}`,
            run: async (runMs: number, { id }) => {
              executed.set(id, (executed.get(id) ?? 0) + 1);
              if (runMs > 0) await pass(clock, runMs);
            },
          }),
        );
        const ids: string[] = [];
        for (const { lane, runMs } of plans) {
          const task = tasks[lane];
          if (task !== undefined) ids.push((await queue.submit(task, runMs)).id);
        }
        const guiltOf = (id: string): Guilt => plans[ids.indexOf(id)]?.guilt ?? 'none';
        const bad = new Set(badLanes.map((lane) => `lane-${lane}@1`));
        const refusingBroker = refusing(broker, { guiltOf, badLanes: bad });
        const exchange: Broker['exchange'] = async (request) => {
          if (travelMs > 0) await pass(clock, travelMs);
          return refusingBroker.exchange(request);
        };
        const worker = startWorker({
          tasks,
          broker: { ...refusingBroker, exchange },
          concurrency,
        });

        await clock.advance('20s');
        let hasStopped = false;
        void worker.stop().then(() => {
          hasStopped = true;
        });
        await clock.advance('1s');

        expect(hasStopped).toBe(true);
        for (const [index, { lane, guilt }] of plans.entries()) {
          const run = await queue.get(ids[index] ?? '');
          const isBad = bad.has(`lane-${lane}@1`);
          const state = isBad
            ? 'submitted'
            : { none: 'completed', end: 'failed', record: 'failed', everything: 'started' }[guilt];
          expect(run).toMatchObject({ state });
          const times = executed.get(ids[index] ?? '') ?? 0;
          // A guilty run may wait too long behind others: its broker refuses to have it given back as well.
          if (isBad || guilt === 'none') expect(times).toBe(isBad ? 0 : 1);
          else expect(times).toBeLessThanOrEqual(1);
          if (state === 'failed') expect(run?.errors).toMatchObject([{ name: 'RangeError' }]);
        }
        const kept = plans.filter(({ lane, guilt }) => !bad.has(`lane-${lane}@1`) && guilt === 'none');
        expect(worker.emittedOf('completed')).toHaveLength(kept.length);
        expect(worker.emittedOf('fenced')).toEqual([]);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});

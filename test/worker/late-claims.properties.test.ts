import type { Broker } from '@retry/core/broker';
import type { VirtualClock } from '@retry/core/testing';
import { defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { watchLeases } from '../support/watch-leases.ts';
import { pass, setScene } from './scene.ts';

const TIMING = { lease: '9s', cleanerInterval: '1s' } as const;

/** Each plays minutes of two workers' lives. */
const NUM_RUNS = propertyRuns(1 / 4);

/** What happens to one call. */
interface Delay {
  readonly thereMs: number;
  readonly backMs: number;
  readonly isLost: boolean;
}

const PROMPT: Delay = { thereMs: 0, backMs: 0, isLost: false };

/** A broker behind a line on which requests and answers take their time, as a script says, until it ends; some answers are lost. */
function delayed(broker: Broker, clock: VirtualClock, script: readonly Delay[]): Broker {
  let calls = 0;
  const send = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    const { thereMs, backMs, isLost } = script[calls] ?? PROMPT;
    calls += 1;
    await pass(clock, thereMs);
    const answer = await call();
    await pass(clock, backMs);
    if (isLost) throw new Error('lost');
    return answer;
  };
  return {
    ...broker,
    exchange: (request) => send(() => broker.exchange(request)),
    heartbeat: (beats, leaseMs) => send(() => broker.heartbeat(beats, leaseMs)),
  };
}

const delays = fc.record({
  /** On its way to the broker, and back. */
  thereMs: fc.constantFrom(0, 0, 0, 1, 4_000, 10_000),
  backMs: fc.constantFrom(0, 0, 1, 2_500, 6_500, 8_999, 9_000, 12_000, 30_000),
  isLost: fc.constantFrom(false, false, false, true),
});

describe('two workers whose requests and answers are late', () => {
  it('never call the handler of a run whose lease has ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(delays, { maxLength: 12 }),
        fc.array(fc.constantFrom(0, 500, 4_000, 20_000), { maxLength: 8 }),
        fc.constantFrom<object>({ concurrency: 1, prefetch: 3 }, { concurrency: 2 }, { concurrency: 20 }),
        async (script, durations, options) => {
          const scene = setScene();
          const { clock, queue, startWorker } = scene;
          const { watched, isLeased } = watchLeases(scene.broker, clock);
          const unleased: string[] = [];
          const executed: string[] = [];
          const task = defineTask({
            name: 'any',
            maxStalls: 1_000,
            retry: { maxAttempts: 1_000, backoff: { type: 'none' } },
            run: async (ms: number, { id, epoch }) => {
              executed.push(`${id} ${epoch}`);
              if (!isLeased({ id, epoch })) unleased.push(`${id} ${epoch}`);
              await pass(clock, ms);
            },
          });
          await queue.submitMany(task, durations);
          const slow = delayed(watched, clock, script);
          startWorker({ tasks: [task], broker: slow, ...TIMING, ...options });
          startWorker({ tasks: [task], broker: watched, ...TIMING, ...options });

          await clock.advance('5m');

          expect(unleased).toEqual([]);
          expect(new Set(executed).size).toBe(executed.length);
          expect((await queue.counts()).ended.completed).toBe(durations.length);
        },
      ),
      { numRuns: NUM_RUNS },
    );
  });
});

import type { TaskInput } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const RUNS = 20_000;
const OUTAGE_MS = 3_600_000;

interface Outage {
  /** Runs that ended as dead letters. */
  readonly deadLetters: number;
  readonly completed: number;
  /** Calls that reached the dependency while it was away: each would have been answered with an error. */
  readonly callsWhileAway: number;
}

/** 20 000 runs wait when the dependency goes away for an hour; three workers, five attempts each; then two hours more. */
async function suffer(options: Pick<TaskInput<number, void>, 'circuitBreaker'>): Promise<Outage> {
  const { clock, queue, startWorker } = setScene();
  let callsWhileAway = 0;
  const task = defineTask({
    ...options,
    name: 'charge',
    retry: { maxAttempts: 5 },
    run: async (_: number) => {
      if (clock.now() >= OUTAGE_MS) return;
      callsWhileAway += 1;
      throw new Error('connect ECONNREFUSED');
    },
  });
  await queue.submitMany(task, Array(RUNS).fill(0));
  for (let workers = 0; workers < 3; workers += 1) startWorker({ tasks: [task] });
  await clock.advance(OUTAGE_MS);
  await clock.advance('2h');
  const { ended } = await queue.counts();
  return { deadLetters: ended.failed, completed: ended.completed, callsWhileAway };
}

describe('an hour without the dependency', () => {
  it('costs every run its attempts without a circuit breaker, and none with one, for 1 % of the calls', async () => {
    const without = await suffer({});
    const circuitBreaker = {
      failureRatio: 0.5,
      minimumThroughput: 20,
      samplingDuration: '30s',
      breakDuration: '10s',
    } as const;
    const withBreaker = await suffer({ circuitBreaker });

    expect(without).toEqual({ deadLetters: RUNS, completed: 0, callsWhileAway: 5 * RUNS });
    expect(withBreaker).toMatchObject({ deadLetters: 0, completed: RUNS });
    expect(withBreaker.callsWhileAway).toBeLessThanOrEqual(without.callsWhileAway / 100);
  });
});

import type { Handler, TaskInput } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const MINUTE_MS = 60_000;

/** What keeps the runs of a lane waiting while their dependency is away. */
const ways: Readonly<Record<string, Partial<TaskInput<unknown, unknown>>>> = {
  'a circuit breaker with short breaks': { circuitBreaker: { minimumThroughput: 4 } },
  'a circuit breaker with long breaks': { circuitBreaker: { minimumThroughput: 4, breakDuration: '10m' } },
  'a server that asks for time': { adapt: true },
};

describe('queue.health in an outage', () => {
  it.each(Object.keys(ways))('finds the lane that makes no progress behind %s', async (way) => {
    const { clock, queue, startWorker } = setScene();
    const away: Handler<unknown, unknown> = () => {
      throw Object.assign(new Error('away'), { headers: { 'retry-after': '120' } });
    };
    const retry = { maxAttempts: 1_000, backoff: { type: 'constant', base: '1m' } } as const;
    const task = defineTask({ name: 'dependent', retry, maxReleases: 1_000, run: away, ...ways[way] });
    await queue.submitMany(task, Array(40).fill(null));
    startWorker({ tasks: [task], concurrency: 4, prefetch: 0 });

    await clock.advance(30 * MINUTE_MS);
    for (let sample = 0; sample < 5; sample += 1) {
      await clock.advance(7 * MINUTE_MS + 13_000);
      expect(await queue.health()).toMatchObject({ isHealthy: false });
    }
  });
});

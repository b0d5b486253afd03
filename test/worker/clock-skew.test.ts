import type { Clock } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from './scene.ts';

const HOUR_MS = 3_600_000;

describe.each([
  ['an hour ahead of', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])("a worker whose clock is %s the broker's", (_name, offsetMs) => {
  it('starts its retries when they are due by the clock of the broker', async () => {
    const { clock, queue, startWorker } = setScene();
    const skewed: Clock = { ...clock, now: () => clock.now() + offsetMs };
    const task = defineTask({
      name: 'flaky',
      retry: { backoff: { type: 'constant', base: '10s' }, jitter: 'none', totalTimeout: '15s' },
      run: (_: null, { attempt }) => (attempt === 1 ? Promise.reject(new Error('no')) : 'done'),
    });
    const { id } = await queue.submit(task, null, { delay: '2s' });
    const worker = startWorker({ tasks: [task], clock: skewed });

    await clock.advance('1m');

    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      firstStartedAt: 2_000,
      startedAt: 12_000,
      errors: [{ at: 2_000 }],
    });
    expect(worker.emittedOf('started')).toMatchObject([{ latenessMs: 0 }, { latenessMs: 0 }]);
  });

  it('completes a run inside a transaction by the clock of the broker', async () => {
    const { clock, broker, queue, startWorker } = setScene();
    const skewed: Clock = { ...clock, now: () => clock.now() + offsetMs };
    const task = defineTask({
      name: 'transactional',
      run: async (_: null, ctx) => {
        await pass(clock, 3_000);
        await ctx.complete({ tx: {}, result: 'done' });
        await pass(clock, 60_000);
      },
    });
    const { id } = await queue.submit(task, null);
    startWorker({ tasks: [task], clock: skewed, broker: { ...broker, within: () => broker } });

    await clock.advance('10s');

    expect(await queue.get(id)).toMatchObject({ state: 'completed', endedAt: 3_000 });
  });

  it('neither stalls the runs of other workers nor loses its own', async () => {
    const { clock, queue, startWorker } = setScene();
    const skewed: Clock = { ...clock, now: () => clock.now() + offsetMs };
    const task = defineTask({ name: 'long', run: () => pass(clock, 60_000) });
    await queue.submitMany(task, [null, null]);
    startWorker({ tasks: [task], concurrency: 1, lease: '9s', cleanerInterval: '1s' });
    await clock.advance(1);
    startWorker({ tasks: [task], clock: skewed, concurrency: 1, lease: '9s', cleanerInterval: '1s' });

    await clock.advance('2m');

    expect((await queue.counts()).ended.completed).toBe(2);
    expect((await queue.deadLetters.list()).runs).toEqual([]);
  });
});

describe('a slow network', () => {
  it.each(['there', 'back'] as const)('%s makes no retry early', async (way) => {
    const { clock, broker, queue, startWorker } = setScene();
    const failedAt: number[] = [];
    const startedAt: number[] = [];
    let count = 0;
    const exchange: Broker['exchange'] = async (request) => {
      count += 1;
      const slowMs = count % 3 === 0 ? 1_200 : 0;
      if (way === 'there') await pass(clock, slowMs);
      const reply = await broker.exchange(request);
      if (reply.claimed.length > 0) startedAt.push(reply.now);
      if (way === 'back') await pass(clock, slowMs);
      return reply;
    };
    const task = defineTask({
      name: 'flaky',
      retry: { maxAttempts: 30, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
      run: (_: null, { attempt }) => {
        if (attempt === 30) return;
        failedAt.push(clock.now());
        throw new Error('no');
      },
    });
    await queue.submit(task, null);
    startWorker({ tasks: [task], broker: { ...broker, exchange } });

    await clock.advance('5m');

    expect(failedAt).toHaveLength(29);
    const waits = startedAt.slice(1).map((at, index) => at - (failedAt[index] ?? 0));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
  });
});

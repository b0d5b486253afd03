import type { Clock } from '@retry/core';
import { retry } from '@retry/inprocess';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const NEVER = new Promise<never>(() => {});
const OTHER_ERRORS = { name: 'NetworkError' };

describe('a call inside a handler that uses up its time', () => {
  it('is a timeout of the attempt, whichever timer fires first', async () => {
    const { clock, queue, startWorker } = setScene();
    const hasty: Clock = {
      ...clock,
      setTimer: (callback, ms) => clock.setTimer(callback, Math.max(ms - 1, 0)),
    };
    const reasons: unknown[] = [];
    const task = defineTask({
      name: 'calling',
      retry: {
        maxAttempts: 2,
        attemptTimeout: '5s',
        retryOn: [OTHER_ERRORS],
        backoff: { type: 'none' },
        jitter: 'none',
      },
      run: (_: null, ctx) => {
        ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
        if (ctx.attempt === 2) return Promise.resolve('done');
        return retry(() => NEVER, { maxAttempts: 1 }, { parent: ctx, clock: hasty });
      },
    });
    startWorker({ tasks: [task] });
    const { id } = await queue.submit(task, null);

    await clock.advance('20s');

    expect(await queue.get(id)).toMatchObject({
      state: 'completed',
      errors: [{ name: 'AttemptTimeoutError' }],
    });
    expect(reasons).toMatchObject([{ name: 'AttemptTimeoutError' }]);
  });

  it('is the total timeout of the run where that comes first', async () => {
    const { clock, queue, startWorker } = setScene();
    const hasty: Clock = {
      ...clock,
      setTimer: (callback, ms) => clock.setTimer(callback, Math.max(ms - 1, 0)),
    };
    const task = defineTask({
      name: 'calling',
      retry: {
        maxAttempts: 5,
        attemptTimeout: '9s',
        totalTimeout: '5s',
        backoff: { type: 'none' },
        jitter: 'none',
      },
      run: (_: null, ctx) => retry(() => NEVER, { maxAttempts: 1 }, { parent: ctx, clock: hasty }),
    });
    const worker = startWorker({ tasks: [task] });
    const { id } = await queue.submit(task, null);

    await clock.advance('20s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ name: 'TotalTimeoutError' }] });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'total-timeout' }]);
  });

  it("is an error like any other if it was the call's own total timeout", async () => {
    const { clock, queue, startWorker } = setScene();
    const task = defineTask({
      name: 'calling',
      retry: { maxAttempts: 5, attemptTimeout: '9s', retryOn: [OTHER_ERRORS] },
      run: (_: null, ctx) => retry(() => NEVER, { totalTimeout: '1s' }, { parent: ctx, clock }),
    });
    const worker = startWorker({ tasks: [task] });
    const { id } = await queue.submit(task, null);

    await clock.advance('20s');

    expect(await queue.get(id)).toMatchObject({ state: 'failed', errors: [{ name: 'TotalTimeoutError' }] });
    expect(worker.emittedOf('failed')).toMatchObject([{ reason: 'unexpected' }]);
  });
});

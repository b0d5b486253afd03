import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { definePolicy } from '@retry/core';
import type { TaskOptions } from '@retry/core/dialects';
import { fromCelery, fromCmdx, fromFluid, fromJobbers, fromTasker } from '@retry/core/dialects';
import { defineTask, taskFrom } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const flaky = defineTask({
  name: 'flaky',
  retry: { maxAttempts: 3, backoff: { type: 'constant', base: '1s' }, jitter: 'none' },
  run: (_: null, { attempt }) => {
    if (attempt < 3) throw new TypeError(`failure ${attempt}`);
    return { found: true };
  },
});

describe('queue.result', () => {
  it('has attempts, retries and errors so far', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [flaky] });
    await queue.submit(flaky, null, { key: 'one' });
    await clock.advance('1.5s');

    expect(await queue.result('flaky@one')).toMatchObject({
      state: 'scheduled',
      attempts: 2,
      retries: 1,
      retried: true,
      errors: [{ message: 'failure 1' }, { message: 'failure 2' }],
    });
  });

  it('has the result once it has completed', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [flaky] });
    await queue.submit(flaky, null, { key: 'one' });
    await clock.advance('5s');

    expect(await queue.result('flaky@one')).toMatchObject({
      state: 'completed',
      result: { found: true },
      attempts: 3,
      retries: 2,
    });
  });

  it('has no attempts before the first has ended, and is undefined for unknown runs', async () => {
    const { queue } = setScene();
    await queue.submit(flaky, null, { key: 'one' });

    expect(await queue.result('flaky@one')).toEqual({
      state: 'submitted',
      attempts: 0,
      retries: 0,
      retried: false,
      errors: [],
    });
    expect(await queue.result('other')).toBeUndefined();
  });
});

describe('queue.on', () => {
  it('emits each new run, and no known key', async () => {
    const { queue } = setScene();
    const emitted: unknown[] = [];
    queue.on('submitted', (event) => emitted.push(event));

    await queue.submit(flaky, null, { key: 'one' });
    await queue.submit(flaky, null, { key: 'one' });

    expect(emitted).toEqual([{ id: 'flaky@one', task: 'flaky', version: '1' }]);
  });

  it('publishes on node:diagnostics_channel, and a listener that throws changes nothing', async () => {
    const { queue } = setScene();
    const published: unknown[] = [];
    const onMessage = (event: unknown): void => void published.push(event);
    subscribe('retry:queue:submitted', onMessage);
    queue.on('submitted', () => {
      throw new Error('listener');
    });
    const errors: unknown[] = [];
    queue.on('error', (event) => errors.push(event));

    const { isNew } = await queue.submit(flaky, null, { key: 'one' });
    unsubscribe('retry:queue:submitted', onMessage);

    expect(isNew).toBe(true);
    expect(published).toEqual([{ id: 'flaky@one', task: 'flaky', version: '1' }]);
    expect(errors).toEqual([{ error: new Error('listener'), doing: 'calling a listener of submitted' }]);
  });
});

describe('taskFrom', () => {
  it('returns task options of a dialect', () => {
    const dialect = fromJobbers({ timeout: 30, max_heartbeat_interval: 60, max_retries: 2 });

    const task = defineTask({ name: 'moved', ...taskFrom(dialect), run: () => null });

    expect(task).toMatchObject({
      heartbeatMs: 60_000,
      maxConcurrent: 1,
      onShutdown: 'stall',
      onStall: 'hold',
      deadLetter: 'none',
    });
    expect(task.retry).toMatchObject({ maxAttempts: 3, attemptTimeoutMs: 30_000 });
  });

  it('carries every task option of a dialect', () => {
    const everything: Required<TaskOptions> = {
      name: 'theirs',
      version: '7',
      rateLimitRetry: definePolicy({ maxAttempts: 7 }),
      heartbeatMs: 2_000,
      maxConcurrent: 3,
      globalConcurrency: 4,
      whenFull: 'end',
      onShutdown: 'continue',
      onStall: 'fail',
      deadLetter: 'none',
      onUnknown: 'drop',
      minRequeueDelayMs: 5_000,
    };

    const options = taskFrom({
      policy: definePolicy({ maxAttempts: 2, attemptTimeout: '1s' }),
      task: everything,
    });

    expect(defineTask({ name: 'moved', ...options, run: () => null })).toMatchObject({
      name: 'theirs',
      version: '7',
      retry: { maxAttempts: 2, attemptTimeoutMs: 1_000 },
      rateLimitRetry: { maxAttempts: 7 },
      heartbeatMs: 2_000,
      maxConcurrent: 3,
      globalConcurrency: 4,
      whenFull: 'end',
      onShutdown: 'finish',
      shutdownMs: Infinity,
      onStall: 'fail',
      deadLetter: 'none',
      onUnknown: 'drop',
      minRequeueMs: 5_000,
    });
  });

  it.each([
    ['fluid', fromFluid({ max_concurrency: 1 })],
    ['Celery', fromCelery()],
    ['Jobbers', fromJobbers()],
    ['Tasker', fromTasker()],
    ['CMDx', fromCmdx()],
  ])('returns options of %s that a task accepts unchanged', (_name, dialect) => {
    expect(() => defineTask({ name: 'moved', ...taskFrom(dialect), run: () => null })).not.toThrow();
  });

  it.each([
    ['resubmit', { onShutdown: 'release', shutdownMs: undefined }],
    ['stop', { onShutdown: 'stall', shutdownMs: undefined }],
    ['continue', { onShutdown: 'finish', shutdownMs: Infinity }],
  ] as const)('says in our words what %s does at shutdown', (on_shutdown, expected) => {
    const task = defineTask({ name: 'moved', ...taskFrom(fromJobbers({ on_shutdown })), run: () => null });

    expect(task).toMatchObject(expected);
  });
});

import { PolicyError } from '@retry/core';
import { createQueue, defineTask, RunFailedError } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { pass, setScene } from './scene.ts';

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });
const doomed = defineTask({
  name: 'doomed',
  retry: { maxAttempts: 1 },
  run: () => Promise.reject(new RangeError('too far')),
});

describe('waitForResult', () => {
  it('gives the result of a run that completes later, within a second of its end', async () => {
    const { clock, queue, startWorker } = setScene();
    const slow = defineTask({ name: 'slow', run: () => pass(clock, 10_000).then(() => ({ ok: true })) });
    const { id } = await queue.submit(slow, null);
    startWorker({ tasks: [slow] });

    let result: unknown;
    void queue.waitForResult(id).then((given) => {
      result = given;
    });
    await clock.advance('10s');
    expect(result).toBeUndefined();
    await clock.advance('1s');

    expect(result).toEqual({ ok: true });
  });

  it('rejects with the state and the last error when the run fails', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(doomed, null, { key: 'run-1' });
    startWorker({ tasks: [doomed] });
    await clock.advance(0);

    const error: unknown = await queue.waitForResult(id).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({
      code: 'RUN_FAILED',
      message: 'run run-1 is failed',
      state: 'failed',
      cause: { name: 'RangeError', message: 'too far', epoch: 1 },
    });
  });

  it('rejects when the run is cancelled', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);
    await queue.cancel(id);

    await expect(queue.waitForResult(id)).rejects.toMatchObject({ state: 'cancelled' });
  });

  it('rejects at once when nobody knows the run', async () => {
    const { queue } = setScene();

    await expect(queue.waitForResult('nobody')).rejects.toMatchObject({ state: 'unknown' });
  });

  it.each([0, '5s'] as const)('rejects after a timeout of %s and leaves no timer', async (timeout) => {
    const { clock, queue } = setScene();
    const { id } = await queue.submit(task, 1);

    const waiting = queue.waitForResult(id, { timeout }).catch((caught: unknown) => caught);
    await clock.advance('5s');

    expect(await waiting).toMatchObject({ name: 'RunFailedError', state: 'still submitted' });
    expect(clock.now()).toBe(5_000);
    expect(clock.pendingTimers()).toBe(0);
  });

  it('refuses a timeout that is none', async () => {
    const { queue } = setScene();
    const { id } = await queue.submit(task, 1);

    await expect(queue.waitForResult(id, { timeout: 'soon' as never })).rejects.toThrow(PolicyError);
  });

  it('rejects with the reason of its signal at once, and the run goes on', async () => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 1, { delay: '1m' });
    const controller = new AbortController();
    const reason = new Error('enough');

    const waiting = queue.waitForResult(id, { signal: controller.signal }).catch((caught: unknown) => caught);
    await clock.advance('10s');
    controller.abort(reason);

    expect(await waiting).toBe(reason);
    expect(clock.pendingTimers()).toBe(0);
    startWorker({ tasks: [task] });
    await clock.advance('1m');
    expect(await queue.get(id)).toMatchObject({ state: 'completed' });
  });

  it('hears a signal that aborts while the broker is being asked', async () => {
    const { clock, broker, queue } = setScene();
    const controller = new AbortController();
    const reason = new Error('enough');
    const { id } = await queue.submit(task, 1);
    const asking = createQueue({
      broker: {
        ...broker,
        get: (ids) => {
          controller.abort(reason);
          return broker.get(ids);
        },
      },
      clock,
    });

    await expect(asking.waitForResult(id, { signal: controller.signal })).rejects.toBe(reason);
  });
});

import { parsePolicy } from '@retry/core';
import type { StandardSchema, SubmitOptions } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { setScene } from './scene.ts';

const AMOUNT: StandardSchema<{ amount: number }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const { amount } = (value ?? {}) as { amount?: unknown };
      return typeof amount === 'number' ? { value: { amount } } : { issues: [{ message: 'no amount' }] };
    },
  },
};

/** A queue with a dead letter of a task that fails for negative amounts. */
async function setDeadLetter() {
  const scene = setScene();
  const seen: number[] = [];
  const task = defineTask({
    name: 'charge',
    retry: { maxAttempts: 1 },
    run: ({ amount }: { amount: number }) => {
      seen.push(amount);
      if (amount < 0) throw new Error('negative');
    },
  });
  const options: SubmitOptions = {
    key: 'order-7',
    retry: { maxAttempts: 2, initialDelay: '5s', stopOn: [{ message: 'neg' }] },
  };
  const dead = await scene.queue.submit(task, { amount: -5 }, options);
  scene.startWorker({ tasks: [task] });
  await scene.clock.advance('10s');
  expect(await scene.queue.get(dead.id)).toMatchObject({ state: 'failed', endedAt: 5_000 });
  return { ...scene, task, seen, dead };
}

describe('queue.resubmit', () => {
  it('submits a new run with a new payload, which names the old one; the old one stays', async () => {
    const { clock, queue, seen, dead } = await setDeadLetter();
    const before = await queue.get(dead.id);
    const events: unknown[] = [];
    queue.on('submitted', (event) => void events.push(event));

    const submitted = await queue.resubmit(dead.id, { payload: { amount: 5 } });
    await clock.advance('10s');

    expect(submitted).toEqual({ id: expect.any(String), isNew: true });
    expect(submitted?.id).not.toBe(dead.id);
    expect(events).toEqual([{ id: submitted?.id, task: 'charge', version: '1' }]);
    expect(seen).toEqual([-5, 5]);
    expect(await queue.get(submitted?.id ?? '')).toMatchObject({
      state: 'completed',
      origin: 'charge@order-7',
      lane: 'charge@1',
      payload: { amount: 5 },
      createdAt: 10_000,
      firstStartedAt: 15_000,
      retry: before?.retry,
      redrives: 0,
    });
    expect(await queue.get(dead.id)).toEqual(before);
  });

  it('repeats payload and policy of the old run unless others are given', async () => {
    const { clock, queue, seen, dead } = await setDeadLetter();

    const same = await queue.resubmit(dead.id);
    const other = await queue.resubmit(dead.id, {
      retry: { maxAttempts: 9, stopOn: [{ name: 'Error' }] },
      delay: '1h',
    });
    await clock.advance('2h');

    expect(seen).toEqual([-5, -5, -5]);
    const [first, second] = [await queue.get(same?.id ?? ''), await queue.get(other?.id ?? '')];
    expect(first).toMatchObject({ payload: { amount: -5 }, firstStartedAt: 15_000, failures: 1 });
    expect(second).toMatchObject({ firstStartedAt: 3_610_000 });
    expect(parsePolicy(second?.retry)).toMatchObject({ maxAttempts: 9 });
  });

  it('moves the work to the task that is given, after a check by its schema', async () => {
    const { clock, queue, startWorker, dead } = await setDeadLetter();
    const second = defineTask({ name: 'charge', version: '2', schema: AMOUNT, run: ({ amount }) => amount });
    startWorker({ tasks: [second] });

    await expect(queue.resubmit(dead.id, { task: second, payload: { cents: 5 } })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
    });
    const submitted = await queue.resubmit(dead.id, { task: second });
    await clock.advance('10s');

    expect(await queue.get(submitted?.id ?? '')).toMatchObject({ lane: 'charge@2', result: -5 });
  });

  it('keeps the concurrency key of the run, but not that of its task', async () => {
    const { queue } = setScene();
    const one = defineTask({ name: 'one', globalConcurrency: 3, run: () => {} });
    const two = defineTask({ name: 'two', globalConcurrency: 4, whenFull: 'retry', run: () => {} });
    const byTask = await queue.submit(one, null);
    const byKey = await queue.submit(one, null, { concurrency: { key: 'user', limit: 2 } });
    const concurrencyOf = async (id: string, options = {}) => {
      const submitted = await queue.resubmit(id, options);
      return (await queue.get(submitted?.id ?? ''))?.concurrency;
    };

    expect(await concurrencyOf(byTask.id)).toEqual({ key: 'one@1', limit: 3, whenFull: 'wait' });
    expect(await concurrencyOf(byTask.id, { task: two })).toEqual({
      key: 'two@1',
      limit: 4,
      whenFull: 'claim',
    });
    expect(await concurrencyOf(byKey.id)).toEqual({ key: 'user', limit: 2, whenFull: 'wait' });
    expect(await concurrencyOf(byKey.id, { task: two })).toEqual({
      key: 'user',
      limit: 2,
      whenFull: 'claim',
    });
    expect(await concurrencyOf(byKey.id, { concurrency: { key: 'own', limit: 1 } })).toEqual({
      key: 'own',
      limit: 1,
      whenFull: 'wait',
    });
  });

  it('keeps a policy that cannot be read, for the worker to report', async () => {
    const { queue, broker } = setScene();
    await broker.submit([{ id: 'strange', lane: 'a@1', payload: 'null', retry: '{' }]);

    const submitted = await queue.resubmit('strange');

    expect(await queue.get(submitted?.id ?? '')).toMatchObject({
      unreadable: { retry: 'the policy is not JSON text' },
      origin: 'strange',
    });
  });

  it('refuses attempts that leave the policy of the old run none, with or without its task', async () => {
    const { queue, clock } = setScene();
    const task = defineTask({ name: 'twice', retry: { maxAttempts: 9 }, run: () => {} });
    const { id } = await queue.submit(task, null, { delay: '1h', retry: { maxAttempts: 2 } });
    const problem = { code: 'INVALID_OPTIONS', problems: [{ path: 'spent.attempts', value: 2 }] };

    for (const options of [{}, { task }])
      await expect(queue.resubmit(id, { ...options, spent: { attempts: 2 } })).rejects.toMatchObject(problem);
    await expect(
      queue.resubmit(id, { retry: { maxAttempts: 2 }, spent: { attempts: 2 } }),
    ).rejects.toMatchObject(problem);
    expect(await queue.resubmit(id, { spent: { attempts: 1 } })).toMatchObject({ isNew: true });
    await clock.advance(0);
  });

  it('returns nothing for an unknown id', async () => {
    const { queue } = setScene();

    expect(await queue.resubmit('unknown', { payload: 5 })).toBeUndefined();
    expect((await queue.counts()).created).toBe(0);
  });

  it.each([
    [{ payload: () => {} }, 'INVALID_PAYLOAD'],
    [{ payload: 'x'.repeat(1_048_576) }, 'INVALID_PAYLOAD'],
    [{ key: 'a' }, 'INVALID_OPTIONS'],
    [{ tx: {} }, 'INVALID_OPTIONS'],
    [{ task: {} }, 'INVALID_OPTIONS'],
    [{ retry: { maxAttempts: 0 } }, 'INVALID_OPTIONS'],
  ])('refuses options that are wrong', async (options, code) => {
    const { queue, dead } = await setDeadLetter();

    await expect(queue.resubmit(dead.id, options as never)).rejects.toMatchObject({ code });
    expect((await queue.counts()).created).toBe(1);
  });
});

import { InvalidOptionsError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import type { SubmitOptions } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { setScene, untilStopped } from './scene.ts';

const task = defineTask({ name: 'double', run: (number: number) => number * 2 });

describe('submit', () => {
  it('stores a run in the lane of its task and returns its id', async () => {
    const { queue } = setScene();

    const submitted = await queue.submit(task, 21);

    expect(submitted).toEqual({ id: expect.stringMatching(/^[0-9A-Za-z]{19}$/), isNew: true });
    expect(await queue.get(submitted.id)).toMatchObject({
      lane: 'double@1',
      state: 'submitted',
      task: 'double',
      version: '1',
      payload: 21,
      epoch: 0,
      submittedAt: 0,
    });
  });

  it('is sent in one call with the others of its turn, and gets its own answer', async () => {
    const { clock, broker } = setScene();
    const submit = vi.fn(broker.submit);
    const queue = createQueue({ broker: { ...broker, submit }, clock });

    const submitted = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => queue.submit(task, index, { key: `key-${index % 900}` })),
    );

    expect(submit).toHaveBeenCalledTimes(1);
    expect(submitted.map(({ id }) => id)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => `double@key-${index % 900}`),
    );
    expect(submitted.filter(({ isNew }) => isNew)).toHaveLength(900);
    expect(submitted[899]?.isNew).toBe(true);
    expect(submitted[900]?.isNew).toBe(false);
  });

  it('is rejected when its batch is, and the next batch is not', async () => {
    const { clock, broker } = setScene();
    let isDown = true;
    const submit: Broker['submit'] = (submissions) =>
      isDown ? Promise.reject(new Error('down')) : broker.submit(submissions);
    const queue = createQueue({ broker: { ...broker, submit }, clock });

    const first = await Promise.allSettled([queue.submit(task, 1), queue.submit(task, 2)]);
    isDown = false;

    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await queue.submit(task, 3)).toMatchObject({ isNew: true });
  });

  it('of a refused payload does not affect the others of its turn', async () => {
    const { queue } = setScene();

    const answers = await Promise.allSettled([queue.submit(task, 1), queue.submit(task, Number.NaN)]);

    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await queue.counts()).created).toBe(1);
  });

  it('of a known key returns the first submission, also when that has ended', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [task] });

    const first = await queue.submit(task, 1, { key: 'order-7' });
    const second = await queue.submit(task, 2, { key: 'order-7' });
    await clock.advance('1s');
    const third = await queue.submit(task, 3, { key: 'order-7' });
    await clock.advance('1s');

    expect([first, second, third]).toEqual([
      { id: 'double@order-7', isNew: true },
      { id: 'double@order-7', isNew: false },
      { id: 'double@order-7', isNew: false },
    ]);
    expect(await queue.get('double@order-7')).toMatchObject({ payload: 1, result: 2, epoch: 1 });
  });

  it.each<[string, SubmitOptions, number]>([
    ['a delay', { delay: '30s' }, 30_000],
    ['an instant', { runAt: 5_000 }, 5_000],
    ['the later of both', { runAt: 5_000, delay: '4s' }, 5_000],
    ['a fraction of a millisecond', { delay: 0.5 }, 1],
    ['an instant that has passed', { runAt: -10 }, 0],
    ['no delay', { delay: 0 }, 0],
  ])('with %s never starts early, and immediately when it is due', async (_name, options, startedAt) => {
    const { clock, queue, startWorker } = setScene();
    const { id } = await queue.submit(task, 1, options);
    const worker = startWorker({ tasks: [task] });

    if (startedAt > 1) await clock.advance(startedAt - 1);
    expect(worker.emittedOf('started')).toHaveLength(0);
    await clock.advance(1);

    expect(await queue.get(id)).toMatchObject({ state: 'completed', startedAt });
    expect(worker.emittedOf('started')).toMatchObject([{ latenessMs: 0 }]);
  });

  it('wakes a worker that polls rarely', async () => {
    const { clock, queue, startWorker } = setScene();
    startWorker({ tasks: [task], pollInterval: '1d' });
    await clock.advance('10s');

    const { id } = await queue.submit(task, 1);
    await clock.advance(0);

    expect(await queue.get(id)).toMatchObject({ state: 'completed', startedAt: 10_000 });
  });

  it.each<[string, unknown]>([
    ['delay', '3 seconds'],
    ['delay', Infinity],
    ['delay', -1],
    ['runAt', Number.NaN],
    ['runAt', Infinity],
    ['runAt', '2026-11-21'],
    ['concurrency', { key: 'user-1', limit: 0 }],
    ['concurrency', { key: 'user-1', limit: Number.NaN }],
    ['concurrency', { limit: 1 }],
  ])('refuses %s: %o', async (key, value) => {
    const { queue } = setScene();

    await expect(queue.submit(task, 1, { [key]: value })).rejects.toThrow(InvalidOptionsError);

    expect((await queue.counts()).created).toBe(0);
  });
});

describe('submitMany', () => {
  it('submits them all, in order, by one call', async () => {
    const { clock, broker, startWorker } = setScene();
    const submit = vi.fn(broker.submit);
    const queue = createQueue({ broker: { ...broker, submit }, clock });
    const seen: number[] = [];
    const listed = defineTask({ name: 'listed', run: (number: number) => void seen.push(number) });

    const submitted = await queue.submitMany(listed, [1, 2, 3], { delay: '1s' });
    startWorker({ tasks: [listed], concurrency: 1 });
    await clock.advance('1s');

    expect(submit).toHaveBeenCalledTimes(1);
    expect(submitted.map(({ isNew }) => isNew)).toEqual([true, true, true]);
    expect(new Set(submitted.map(({ id }) => id)).size).toBe(3);
    expect(seen).toEqual([1, 2, 3]);
  });

  it('of no payloads returns no runs', async () => {
    const { queue } = setScene();

    expect(await queue.submitMany(task, [])).toEqual([]);
  });
});

describe('get', () => {
  it('returns undefined for an unknown id', async () => {
    const { queue } = setScene();

    expect(await queue.get('unknown')).toBeUndefined();
  });
});

describe('counts', () => {
  it('returns the number of runs in each state', async () => {
    const { clock, queue, startWorker } = setScene();
    const stuck = defineTask({ name: 'stuck', run: untilStopped });
    const doomed = defineTask({
      name: 'doomed',
      retry: { maxAttempts: 1 },
      run: () => Promise.reject(new Error('no')),
    });
    await queue.submitMany(task, [1, 2, 3]);
    await queue.submit(task, 4, { delay: '1h' });
    await queue.submit(stuck, null);
    await queue.submit(doomed, null);
    await queue.submit(defineTask({ name: 'unknown', run: () => {} }), null);
    startWorker({ tasks: [task, stuck, doomed] });

    await clock.advance('1s');

    expect(await queue.counts()).toEqual({
      created: 7,
      submitted: 1,
      scheduled: 1,
      started: 1,
      ended: { completed: 3, failed: 1, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 },
      forgotten: 0,
      unbalanced: 0,
    });
  });
});

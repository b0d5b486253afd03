import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Broker, Submission } from '@retry/core/broker';
import { createQueue, defineTask, PartlySubmittedError } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'many', maxPayloadBytes: 20_000_000, run: (_: unknown) => {} });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A queue whose broker fails the calls of `submit` with these numbers, counted from 1. */
function failingQueue(
  failing: readonly number[],
  { keeps = false, error = new Error('down') as Error, submitsInOrder = false } = {},
) {
  const scene = setScene();
  let calls = 0;
  const submit: Broker['submit'] = vi.fn(async (submissions) => {
    calls += 1;
    const fails = failing.includes(calls);
    if (!fails || keeps) await scene.broker.submit(submissions);
    if (fails) throw error;
    return submissions.map(() => 'created' as const);
  });
  const queue = createQueue({
    broker: { ...scene.broker, submit, facts: { submitsInOrder } },
    clock: scene.clock,
  });
  return { ...scene, queue, submit: vi.mocked(submit) };
}

describe('submitMany', () => {
  it('calls the method of the broker as one, which may need its object', async () => {
    const { broker, clock } = setScene();
    const seen: unknown[] = [];
    const methods = {
      ...broker,
      submit(this: unknown, submissions: readonly Submission[]) {
        seen.push(this);
        return broker.submit(submissions);
      },
    };
    const queue = createQueue({ broker: methods, clock });

    await queue.submitMany(task, [1, 2]);
    await queue.submit(task, 3);

    expect(seen).toEqual([methods, methods]);
  });

  it('sends those again that another transaction has locked, and no others', async () => {
    const { broker, clock } = setScene();
    const calls: string[][] = [];
    const submit: Broker['submit'] = async (submissions, options) => {
      expect(options).toEqual({ whenLocked: 'answer' });
      calls.push(submissions.map(({ payload }) => payload));
      const isFree = (index: number): boolean => index > 0 || calls.length > 2;
      const answers = await broker.submit(submissions.filter((_, index) => isFree(index)));
      return submissions.map((_, index) => (isFree(index) ? (answers[0] ?? 'created') : 'locked'));
    };
    const queue = createQueue({ broker: { ...broker, submit }, clock });

    const submitted = await queue.submitMany(task, [1, 2, 3]);

    expect(calls).toEqual([['1', '2', '3'], ['1'], ['1']]);
    expect(submitted.map(({ isNew }) => isNew)).toEqual([true, true, true]);
    expect(await queue.get(submitted[0]?.id ?? '')).toMatchObject({ payload: 1 });
  });

  it('is sent in calls of at most 500 runs, in their order', async () => {
    const { queue, submit } = failingQueue([]);

    const submitted = await queue.submitMany(task, numbers(1_201));

    expect(submit.mock.calls.map(([submissions]) => submissions.length)).toEqual([500, 500, 201]);
    expect(
      submit.mock.calls.flatMap(([submissions]) => submissions.map(({ payload }) => Number(payload))),
    ).toEqual(numbers(1_201));
    expect(new Set(submitted.map(({ id }) => id)).size).toBe(1_201);
  });

  it('is sent in calls of about 8 MiB', async () => {
    const { queue, submit } = failingQueue([]);

    await queue.submitMany(task, Array(5).fill('x'.repeat(3_000_000)));

    expect(submit.mock.calls.map(([submissions]) => submissions.length)).toEqual([2, 2, 1]);
  });

  it('reports what was stored, what was not and what is unknown when a later call fails', async () => {
    const { queue } = failingQueue([2]);
    const events: string[] = [];
    queue.on('submitted', ({ id }) => events.push(id));

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(PartlySubmittedError);
    if (!(error instanceof PartlySubmittedError)) return;
    expect(error).toMatchObject({ code: 'PARTLY_SUBMITTED', cause: { message: 'down' } });
    expect(error.submitted).toHaveLength(500);
    expect(error.submitted.map(({ id }) => id)).toEqual(events);
    expect(error.unknown).toHaveLength(500);
    expect(error.notSubmitted).toEqual(numbers(1_201).slice(1_000));
    expect((await queue.counts()).created).toBe(500);
  });

  it('counts as stored what is found after a lost answer', async () => {
    const { queue } = failingQueue([2], { keeps: true });

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code: 'PARTLY_SUBMITTED',
      unknown: [],
      notSubmitted: numbers(1_201).slice(1_000),
    });
    expect((error as PartlySubmittedError).submitted).toHaveLength(1_000);
  });

  it('counts as not stored what was refused for good', async () => {
    const { queue } = failingQueue([2], { error: new RangeError('refused') });

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code: 'PARTLY_SUBMITTED',
      unknown: [],
      notSubmitted: numbers(1_201).slice(500),
    });
  });

  it('rejects with the error itself when nothing was stored', async () => {
    const { queue } = failingQueue([1]);

    await expect(queue.submitMany(task, numbers(1_201))).rejects.toThrow(/^down$/);
    await expect(failingQueue([1]).queue.submitMany(task, [1])).rejects.toThrow(/^down$/);
    expect((await queue.counts()).created).toBe(0);
  });

  it('sends the next call before the answer of the latest, where calls take effect in their order', async () => {
    const { queue, submit, broker } = failingQueue([], { submitsInOrder: true });
    let pending = 0;
    let most = 0;
    submit.mockImplementation(async (submissions) => {
      pending += 1;
      most = Math.max(most, pending);
      await new Promise((resolve) => setImmediate(resolve));
      pending -= 1;
      return broker.submit(submissions);
    });

    const submitted = await queue.submitMany(task, numbers(2_100));

    expect(most).toBe(2);
    const runs = await broker.get(submitted.map(({ id }) => id));
    expect(runs.map((run) => Number(run?.payload))).toEqual(numbers(2_100));
  });

  it('reports the runs of a call that succeeded after one that failed', async () => {
    const { queue } = failingQueue([1], { submitsInOrder: true });

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    const { submitted, unknown, notSubmitted } = error as PartlySubmittedError;
    const runs = await Promise.all(submitted.map(({ id }) => queue.get(id)));
    expect(runs.map((run) => Number(run?.payload))).toEqual(numbers(1_201).slice(500, 1_000));
    expect(unknown).toHaveLength(500);
    expect(notSubmitted).toEqual(numbers(1_201).slice(1_000));
  });

  it('does not say of a key whether it is new when the answer was lost', async () => {
    const { queue } = failingQueue([2], { keeps: true });

    const error = await queue
      .submitMany(task, numbers(700), { each: (payload) => ({ key: `${payload}` }) })
      .catch((caught: unknown) => caught);

    expect((error as PartlySubmittedError).submitted).toHaveLength(500);
    expect((error as PartlySubmittedError).unknown).toEqual(
      numbers(700)
        .slice(500)
        .map((payload) => `many@${payload}`),
    );
  });
});

it('refuses an each that answers with a promise, and its rejection ends no process', async () => {
  const { queue } = setScene();
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);

  const submitted = queue.submitMany(task, [1, 2], {
    each: () => Promise.reject(new Error('late')) as never,
  });

  await expect(submitted).rejects.toMatchObject({ problems: [{ path: 'each(0)' }, { path: 'each(1)' }] });
  await nextTurn();
  expect(unhandled).not.toHaveBeenCalled();
  process.off('unhandledRejection', unhandled);
});

import type { Broker } from '@retry/core/broker';
import { createQueue, defineTask, PartlySubmittedError } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'many', maxPayloadBytes: 20_000_000, run: (_: unknown) => {} });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** A queue whose broker fails the calls of `submit` with these numbers, counted from 1. */
function failingQueue(
  failing: readonly number[],
  { keeps = false, error = new Error('down') as Error } = {},
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
  const queue = createQueue({ broker: { ...scene.broker, submit }, clock: scene.clock });
  return { ...scene, queue, submit: vi.mocked(submit) };
}

describe('submitMany', () => {
  it('travels in calls of at most 500 runs, in their order', async () => {
    const { queue, submit } = failingQueue([]);

    const submitted = await queue.submitMany(task, numbers(1_201));

    expect(submit.mock.calls.map(([submissions]) => submissions.length)).toEqual([500, 500, 201]);
    expect(
      submit.mock.calls.flatMap(([submissions]) => submissions.map(({ payload }) => Number(payload))),
    ).toEqual(numbers(1_201));
    expect(new Set(submitted.map(({ id }) => id)).size).toBe(1_201);
  });

  it('travels in calls of about 8 MiB', async () => {
    const { queue, submit } = failingQueue([]);

    await queue.submitMany(task, Array(5).fill('x'.repeat(3_000_000)));

    expect(submit.mock.calls.map(([submissions]) => submissions.length)).toEqual([2, 2, 1]);
  });

  it('says what was kept, what was not and what is unknown when a later call fails', async () => {
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

  it('counts among the kept what is found there after a lost answer', async () => {
    const { queue } = failingQueue([2], { keeps: true });

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code: 'PARTLY_SUBMITTED',
      unknown: [],
      notSubmitted: numbers(1_201).slice(1_000),
    });
    expect((error as PartlySubmittedError).submitted).toHaveLength(1_000);
  });

  it('counts what was refused for good among what was not kept', async () => {
    const { queue } = failingQueue([2], { error: new RangeError('refused') });

    const error = await queue.submitMany(task, numbers(1_201)).catch((caught: unknown) => caught);

    expect(error).toMatchObject({
      code: 'PARTLY_SUBMITTED',
      unknown: [],
      notSubmitted: numbers(1_201).slice(500),
    });
  });

  it('rejects with the error itself when nothing was kept', async () => {
    const { queue } = failingQueue([1]);

    await expect(queue.submitMany(task, numbers(1_201))).rejects.toThrow(/^down$/);
    await expect(failingQueue([1]).queue.submitMany(task, [1])).rejects.toThrow(/^down$/);
    expect((await queue.counts()).created).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { coalesce } from '../../packages/worker/src/queue/coalesce.ts';

/** A sender that holds each batch until it is told how it goes. */
function holdBatches() {
  const batches: {
    items: readonly number[];
    answer: (answers: readonly string[]) => void;
    fail: (error: unknown) => void;
  }[] = [];
  const send = (items: readonly number[]): Promise<readonly string[]> =>
    new Promise((answer, fail) => void batches.push({ items, answer, fail }));
  return { batches, ask: coalesce(send) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('coalesce', () => {
  it('sends the calls of one turn together, and those made meanwhile together after them', async () => {
    const { batches, ask } = holdBatches();

    const first = [ask(1), ask(2), ask(3)];
    await turn();
    const second = [ask(4), ask(5)];
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([[1, 2, 3]]);

    batches[0]?.answer(['one', 'two', 'three']);
    expect(await Promise.all(first)).toEqual(['one', 'two', 'three']);
    await turn();
    expect(batches.map(({ items }) => items)).toEqual([
      [1, 2, 3],
      [4, 5],
    ]);

    batches[1]?.answer(['four', 'five']);
    expect(await Promise.all(second)).toEqual(['four', 'five']);
  });

  it('sends a second batch, where two may be on their way, once there is much', async () => {
    const sizes: number[] = [];
    const answers: ((answers: readonly number[]) => void)[] = [];
    const ask = coalesce<number, number>(
      (items) => {
        sizes.push(items.length);
        return new Promise((answer) => void answers.push(() => answer(items)));
      },
      { outstanding: 2 },
    );
    const askAll = (count: number) => Array.from({ length: count }, (_, index) => ask(index));

    const first = askAll(1);
    await turn();
    const second = askAll(249);
    await turn();
    expect(sizes).toEqual([1]);
    const third = askAll(1_000);
    await turn();
    expect(sizes).toEqual([1, 500]);
    answers[0]?.([]);
    await turn();
    expect(sizes).toEqual([1, 500, 500]);
    answers[1]?.([]);
    answers[2]?.([]);
    await turn();
    expect(sizes).toEqual([1, 500, 500, 249]);
    answers[3]?.([]);

    expect(await Promise.all([...first, ...second, ...third])).toEqual(
      [1, 249, 1_000].flatMap((count) => Array.from({ length: count }, (_, index) => index)),
    );
  });

  it('rejects the calls of a rejected batch and of no other', async () => {
    const { batches, ask } = holdBatches();
    const error = new Error('down');

    const first = Promise.allSettled([ask(1), ask(2)]);
    await turn();
    const second = Promise.allSettled([ask(3)]);
    batches[0]?.fail(error);
    await turn();
    batches[1]?.answer(['three']);

    expect(await first).toEqual([
      { status: 'rejected', reason: error },
      { status: 'rejected', reason: error },
    ]);
    expect(await second).toEqual([{ status: 'fulfilled', value: 'three' }]);
  });

  it('goes on after a sender that throws before it promises anything', async () => {
    let count = 0;
    const ask = coalesce<number, number>((items) => {
      count += 1;
      if (count === 1) throw new Error('at once');
      return Promise.resolve(items);
    });

    await expect(ask(1)).rejects.toThrow('at once');

    expect(await ask(2)).toBe(2);
  });

  it('rejects a call that got no answer, and takes undefined for one', async () => {
    const { batches, ask } = holdBatches();

    const calls = Promise.allSettled([ask(1), ask(2)]);
    await turn();
    batches[0]?.answer([undefined as never]);

    expect(await calls).toMatchObject([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: { message: 'the broker gave no answer' } },
    ]);
  });
});

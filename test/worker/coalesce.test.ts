import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coalesce } from '../../packages/worker/src/queue/coalesce.ts';

/** A sender whose batches are pending until the test settles them. */
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
  /** The sizes of the batches that are pending at the same time, if two may be. */
  const pendingSizes = async (bytesOf: readonly number[], isWaiting = false): Promise<readonly number[]> => {
    const sizes: number[] = [];
    const ask = coalesce<number, number>(
      (items) => {
        sizes.push(items.length);
        return new Promise(() => {});
      },
      { outstanding: 2, bytesOf: (bytes) => bytes },
    );
    if (isWaiting) {
      void ask(0);
      await turn();
      sizes.pop();
    }
    for (const bytes of bytesOf) void ask(bytes);
    await turn();
    return sizes;
  };

  it.each([
    [31, [31]],
    [32, [16, 16]],
    [101, [50, 51]],
    [2_000, [500, 500]],
  ])('sends %i calls of one turn as %j, if two batches may be pending', async (count, sizes) => {
    expect(await pendingSizes(Array(count).fill(100))).toEqual(sizes);
  });

  it('sends a batch of at most 1 MiB, at least one call, if two may be pending', async () => {
    expect(await pendingSizes(Array(120).fill(20_000))).toEqual([52, 52]);
    expect(await pendingSizes([2_000_000, 1, 1])).toEqual([1]);
  });

  it('sends a second batch for 64 KiB that wait', async () => {
    expect(await pendingSizes(Array(3).fill(20_000), true)).toEqual([]);
    expect(await pendingSizes(Array(4).fill(20_000), true)).toEqual([4]);
  });

  it('sends the calls of one turn in one batch, and those made while it is pending in the next', async () => {
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

  it('sends a second batch while the first is pending, if two may be and there are many calls', async () => {
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
    expect(sizes).toEqual([1, 500, 500, 124, 125]);
    answers[3]?.([]);
    answers[4]?.([]);

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

  it('keeps working after a sender that throws before it returns a promise', async () => {
    let count = 0;
    const ask = coalesce<number, number>((items) => {
      count += 1;
      if (count === 1) throw new Error('immediately');
      return Promise.resolve(items);
    });

    await expect(ask(1)).rejects.toThrow('immediately');

    expect(await ask(2)).toBe(2);
  });

  it('rejects a call without an answer, and accepts undefined as one', async () => {
    const { batches, ask } = holdBatches();

    const calls = Promise.allSettled([ask(1), ask(2)]);
    await turn();
    batches[0]?.answer([undefined as never]);

    expect(await calls).toMatchObject([
      { status: 'fulfilled', value: undefined },
      { status: 'rejected', reason: { message: 'the broker returned no answer' } },
    ]);
  });

  it('sends at most 1 000 calls in a batch', async () => {
    const sizes: number[] = [];
    const ask = coalesce<number, number>(async (items) => {
      sizes.push(items.length);
      return items;
    });

    await Promise.all(Array.from({ length: 2_500 }, (_, index) => ask(index)));

    expect(sizes).toEqual([1_000, 1_000, 500]);
  });

  it('sends about 1 MiB in a batch, and a larger call alone', async () => {
    const HALF = 524_288;
    const sizes: number[][] = [];
    const ask = coalesce<number, number>(
      async (items) => {
        sizes.push([...items]);
        return items;
      },
      { outstanding: 1, bytesOf: (size) => size },
    );

    await Promise.all([HALF, HALF, 1, 20 * HALF, 1, 1].map(ask));

    expect(sizes).toEqual([[HALF, HALF], [1], [20 * HALF], [1, 1]]);
  });
});

describe('a batch that is refused for good', () => {
  /** A sender that refuses every batch with one of the guilty in it, and names it. */
  function refuse(guilty: ReadonlySet<number>) {
    const sent: (readonly number[])[] = [];
    const send = async (items: readonly number[]): Promise<readonly string[]> => {
      sent.push(items);
      const bad = items.find((item) => guilty.has(item));
      if (bad !== undefined) throw new RangeError(`${bad} is refused`);
      return items.map(String);
    };
    const isRefusal = (error: unknown): boolean => error instanceof RangeError;
    return { sent, ask: coalesce(send, { outstanding: 1, isRefusal }) };
  }

  it('rejects only the calls that cause it, each with its own error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.nat({ max: 299 }), { maxLength: 20 }),
        async (count, bad) => {
          const guilty = new Set(bad);
          const { ask } = refuse(guilty);

          const answers = await Promise.allSettled(Array.from({ length: count }, (_, item) => ask(item)));

          expect(
            answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason))),
          ).toEqual(
            Array.from({ length: count }, (_, item) =>
              guilty.has(item) ? `RangeError: ${item} is refused` : `${item}`,
            ),
          );
        },
      ),
    );
  });

  it('finds the one refused call among 1 000 within 21 calls', async () => {
    const { ask, sent } = refuse(new Set([517]));

    await Promise.allSettled(Array.from({ length: 1_000 }, (_, item) => ask(item)));

    expect(sent.length).toBeLessThanOrEqual(21);
  });

  it('is not split when the broker is merely away', async () => {
    let calls = 0;
    const ask = coalesce<number, number>(
      () => {
        calls += 1;
        return Promise.reject(new Error('down'));
      },
      { outstanding: 1, isRefusal: () => false },
    );

    const answers = await Promise.allSettled([ask(1), ask(2), ask(3)]);

    expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(calls).toBe(1);
  });
});

import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { type AttemptContext, retry, retryIterable } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

async function collect<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('retryIterable', () => {
  it('retries until the first item has arrived', async () => {
    const items = retryIterable(async function* ({ attempt }) {
      if (attempt < 3) throw new Error('busy');
      yield* [1, 2, 3];
    }, AT_ONCE);

    expect(await collect(items)).toEqual([1, 2, 3]);
  });

  it('closes the source when the sink of a pipeline fails', async () => {
    let isClosed = false;
    const source = async function* () {
      try {
        for (let item = 0; ; item += 1) {
          yield item;
          await setImmediate();
        }
      } finally {
        isClosed = true;
      }
    };
    const sink = new Writable({
      objectMode: true,
      write: (item, _, done) => done(item === 2 ? new Error('disk full') : null),
    });

    const error = await rejectionOf(pipeline(Readable.from(retryIterable(source, AT_ONCE)), sink));

    expect(error).toEqual(new Error('disk full'));
    await vi.waitFor(() => expect(isClosed).toBe(true), { timeout: 20_000 });
  });

  it('passes a later error on, and does not start again', async () => {
    const source = vi.fn(async function* () {
      yield 1;
      throw new Error('broke off');
    });

    expect(await rejectionOf(collect(retryIterable(source, AT_ONCE)))).toEqual(new Error('broke off'));
    expect(source).toHaveBeenCalledTimes(1);
  });

  it('has no time limit after the first item, nor has a call inside its source', async () => {
    const clock = createFakeClock();
    const pause = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms));
    const items = retryIterable(
      async function* (parent) {
        yield parent.remainingMs;
        await pause(50);
        yield parent.remainingMs;
        yield await retry(({ remainingMs }) => pause(30).then(() => remainingMs), AT_ONCE, { parent, clock });
      },
      { ...AT_ONCE, attemptTimeout: 20 },
      { clock },
    );

    const all = collect(items);
    await clock.advance(1_000);

    expect(await all).toEqual([20, Infinity, Infinity]);
  });

  it('yields nothing for an empty source', async () => {
    expect(await collect(retryIterable(async function* () {}, AT_ONCE))).toEqual([]);
  });

  it('closes the source when the reader leaves', async () => {
    const closed = vi.fn();
    const items = retryIterable(async function* () {
      try {
        yield* [1, 2, 3];
      } finally {
        closed();
      }
    }, AT_ONCE);

    for await (const item of items) if (item === 2) break;

    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('reads nothing of a source that opens after its attempt has timed out', async () => {
    const clock = createFakeClock();
    const [next, close] = [vi.fn(), vi.fn(async () => ({ done: true, value: undefined }))];
    const late = () =>
      new Promise<AsyncIterable<number>>((resolve) => {
        const items = { next, return: close } as unknown as AsyncIterator<number>;
        clock.setTimer(() => resolve({ [Symbol.asyncIterator]: () => items }), 150);
      });

    const first = rejectionOf(retryIterable(late, { attemptTimeout: 100, maxAttempts: 1 }, { clock }).next());
    await clock.advance(150);

    expect(await first).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    expect([next.mock.calls.length, close.mock.calls.length]).toEqual([0, 1]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
    'closes a source when its call is aborted %i turns after its first item has arrived',
    async (turns) => {
      const controller = new AbortController();
      const close = vi.fn(async () => ({ done: true, value: undefined }));
      const abortAfter = async (): Promise<void> => {
        for (let turn = 0; turn < turns; turn += 1) await undefined;
        controller.abort('stop');
      };
      const next = async () => {
        void abortAfter();
        return { done: false, value: 1 };
      };
      const items = { next, return: close } as unknown as AsyncIterator<number>;
      const source = () => ({ [Symbol.asyncIterator]: () => items });

      const reading = retryIterable(source, AT_ONCE, { signal: controller.signal });
      const [first] = await Promise.allSettled([reading.next()]);
      if (first?.status === 'fulfilled') expect(await rejectionOf(reading.next())).toBe('stop');
      else expect(first?.reason).toBe('stop');

      expect(close).toHaveBeenCalledTimes(1);
    },
  );

  it('closes a source whose first item arrives after its attempt was aborted', async () => {
    const clock = createFakeClock();
    const closed = vi.fn();
    const items = retryIterable(
      async function* ({ attempt }) {
        try {
          if (attempt === 1) await new Promise<void>((resolve) => clock.setTimer(resolve, 150));
          yield attempt;
        } finally {
          closed(attempt);
        }
      },
      { ...AT_ONCE, attemptTimeout: 100 },
      { clock },
    );

    const first = items.next();
    await clock.advance(150);

    expect(await first).toEqual({ done: false, value: 2 });
    expect(closed.mock.calls).toEqual([[1]]);
  });
});

/** A source that yields the numbers from 1, and waits for ever after `last`. */
function endless(last: number) {
  const seen = { isClosed: false, signal: undefined as AbortSignal | undefined };
  const source = ({ signal }: AttemptContext): AsyncIterable<number> => {
    let item = 0;
    seen.signal = signal;
    const iterator: AsyncIterator<number> = {
      next: () => {
        item += 1;
        return item <= last ? Promise.resolve({ done: false, value: item }) : new Promise(() => {});
      },
      return: () => {
        seen.isClosed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    return { [Symbol.asyncIterator]: () => iterator };
  };
  return { source, seen };
}

describe('retryIterable and signals', () => {
  const stopped = new Error('stopped');

  it.each([
    ['the option', (signal: AbortSignal) => ({ signal })],
    [
      'the attempt around it',
      (signal: AbortSignal) => ({ parent: { signal, maxAttempts: 1, remainingMs: Infinity } }),
    ],
  ])('ends a pending read when the signal of %s aborts, and closes the source', async (_, options) => {
    const controller = new AbortController();
    const { source, seen } = endless(2);
    const items = retryIterable(source, AT_ONCE, options(controller.signal));
    await items.next();
    await items.next();

    const third = rejectionOf(items.next());
    controller.abort(stopped);

    expect(await third).toBe(stopped);
    expect([seen.isClosed, seen.signal?.reason]).toEqual([true, stopped]);
    expect(await items.next()).toEqual({ done: true, value: undefined });
  });

  it('rejects the next read when the signal aborts between two', async () => {
    const controller = new AbortController();
    const { source, seen } = endless(9);
    const items = retryIterable(source, AT_ONCE, { signal: controller.signal });
    await items.next();

    controller.abort(stopped);
    await setImmediate();

    expect([seen.isClosed, seen.signal?.reason]).toEqual([true, stopped]);
    expect(await rejectionOf(items.next())).toBe(stopped);
  });

  it.each([
    ['the reader leaves', (items: AsyncGenerator<number>) => items.return(undefined)],
    ['the source ends', (items: AsyncGenerator<number>) => collect(items)],
  ])('does not listen to the signal any more after %s', async (_, end) => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    const items = retryIterable(
      async function* () {
        yield* [1, 2, 3];
      },
      AT_ONCE,
      { signal },
    );
    await items.next();

    await end(items);
    await setImmediate();

    expect(added).toHaveBeenCalled();
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });

  it('ignores what closing an aborted source throws', async () => {
    const controller = new AbortController();
    const items = retryIterable(
      () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => Promise.resolve({ done: false, value: 1 }),
          return: () => {
            throw new Error('cannot close');
          },
        }),
      }),
      AT_ONCE,
      { signal: controller.signal },
    );
    await items.next();

    controller.abort(stopped);

    expect(await rejectionOf(items.next())).toBe(stopped);
  });

  it('closes the source of an attempt that timed out, though its read never ends', async () => {
    const clock = createFakeClock();
    const { source, seen } = endless(0);
    const error = rejectionOf(
      retryIterable(source, { maxAttempts: 1, attemptTimeout: 100 }, { clock }).next(),
    );

    await clock.advance(100);

    expect(await error).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    expect(seen.isClosed).toBe(true);
  });

  it('closes a source that is opened after its attempt was aborted', async () => {
    const clock = createFakeClock();
    const { source, seen } = endless(0);
    const late = async (context: AttemptContext): Promise<AsyncIterable<number>> => {
      await new Promise<void>((resolve) => clock.setTimer(resolve, 150));
      return source(context);
    };
    const error = rejectionOf(retryIterable(late, { maxAttempts: 1, attemptTimeout: 100 }, { clock }).next());

    await clock.advance(150);

    expect(await error).toMatchObject({ code: 'ATTEMPT_TIMEOUT' });
    expect(seen.isClosed).toBe(true);
  });
});

describe('return()', () => {
  const FOR_EVER = { maxAttempts: 'Infinity', backoff: { type: 'constant', base: 5 } } as const;
  const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

  it('ends the retrying while the first item is awaited, which then is the end of the items', async () => {
    const fn = vi.fn(() => {
      throw new Error('down');
    });
    const items = retryIterable(fn, FOR_EVER);
    const first = items.next();
    await pause();

    expect(await items.return()).toEqual({ done: true, value: undefined });
    expect(await first).toEqual({ done: true, value: undefined });
    const calls = fn.mock.calls.length;
    await pause();
    expect(fn).toHaveBeenCalledTimes(calls);
  });

  it('closes a source whose next item is awaited', async () => {
    let isClosed = false;
    const source = {
      [Symbol.asyncIterator]: () => source,
      count: 0,
      next: () => {
        source.count += 1;
        return source.count === 1
          ? Promise.resolve({ done: false, value: 1 })
          : new Promise<IteratorResult<number>>(() => {});
      },
      return: async () => {
        isClosed = true;
        return { done: true, value: undefined } as const;
      },
    };
    const items = retryIterable(() => source);
    await items.next();
    const second = items.next();

    expect(await items.return()).toEqual({ done: true, value: undefined });
    expect([await second, isClosed]).toEqual([{ done: true, value: undefined }, true]);
  });

  it('ends the retrying when the sink of a stream has gone, and when the stream is destroyed', async () => {
    const fn = vi.fn(() => {
      throw new Error('down');
    });
    const sink = new Writable({ objectMode: true });
    setTimeout(() => sink.destroy(new Error('gone')), 20);
    await rejectionOf(pipeline(Readable.from(retryIterable(fn, FOR_EVER)), sink));
    const readable = Readable.from(retryIterable(fn, FOR_EVER));
    readable.resume();
    await pause();
    const closed = new Promise((resolve) => readable.once('close', resolve));
    readable.destroy();
    await closed;

    const calls = fn.mock.calls.length;
    await pause();
    expect(fn).toHaveBeenCalledTimes(calls);
  });

  it('between two items waits for the source to close, and passes on what that throws', async () => {
    const source = async function* () {
      try {
        yield 1;
        yield 2;
      } finally {
        await pause();
        await Promise.reject(new Error('not closed'));
      }
    };
    const items = retryIterable(source);
    await items.next();

    await expect(items.return()).rejects.toThrow('not closed');
  });
});

describe('an error of the closing of a source', () => {
  const closings: readonly [string, PropertyDescriptor][] = [
    ['throws', { value: fail }],
    ['rejects', { value: async () => fail() }],
    ['is no function', { value: 5 }],
    ['cannot be read', { get: fail }],
  ];

  function fail(): never {
    throw new Error('not closed');
  }

  /** Yields 1, and then the promise or value; `for await` reads it, too. */
  function sourceOf(second: () => unknown, closing: PropertyDescriptor): Iterable<unknown> {
    let count = 0;
    const next = (): IteratorResult<unknown> => {
      count += 1;
      return { done: false, value: count === 1 ? 1 : second() };
    };
    return { [Symbol.iterator]: () => Object.defineProperty({ next }, 'return', closing) };
  }

  it.each(closings)('does not hide the rejection of an item: return() %s', async (_name, closing) => {
    const broken = new Error('broken');
    const source = (): Iterable<unknown> => sourceOf(() => Promise.reject(broken), closing);

    expect(await rejectionOf(collect(retryIterable(source)))).toBe(broken);
  });

  it.each(closings)('does not hide the rejection of the first item: return() %s', async (_name, closing) => {
    const broken = new Error('broken');
    const source = (): Iterable<unknown> => {
      const items = sourceOf(() => Promise.reject(broken), closing)[Symbol.iterator]();
      items.next();
      return { [Symbol.iterator]: () => items };
    };

    expect(await rejectionOf(collect(retryIterable(source, { maxAttempts: 1 })))).toBe(broken);
  });

  it.each(closings)('does not hide what the consumer throws: return() %s', async (_name, closing) => {
    const gone = new Error('gone');
    const items = retryIterable(() => sourceOf(() => 2, closing));
    await items.next();

    expect(await rejectionOf(items.throw(gone))).toBe(gone);
  });
});

it('has what async generators inherit from the runtime: await using, and helpers', () => {
  const prototypeOf = (value: object): object => Object.getPrototypeOf(value);
  const generator = (async function* () {})();
  const items = retryIterable(async function* () {});

  expect(prototypeOf(prototypeOf(items))).toBe(prototypeOf(prototypeOf(prototypeOf(generator))));
});

describe('an item that is a promise', () => {
  const FAST = { maxAttempts: 3, backoff: { type: 'constant', base: 1 } } as const;

  it('is awaited by the attempt, which fails if it rejects', async () => {
    const fn = vi.fn(({ attempt }: AttemptContext) => [
      attempt < 3 ? Promise.reject(new Error('busy')) : Promise.resolve('ok'),
    ]);

    expect(await collect(retryIterable(fn, FAST))).toEqual(['ok']);
    expect(fn).toHaveBeenCalledTimes(3);
  });

  it.each([
    ['the timeout of the attempt', { attemptTimeout: 20, maxAttempts: 1 }],
    ['the total timeout', { totalTimeout: 20 }],
  ])('is cut off by %s', async (_name, policy) => {
    const items = retryIterable(() => [new Promise<number>(() => {})], { ...FAST, ...policy });

    await expect(items.next()).rejects.toMatchObject({ code: expect.stringContaining('TIMEOUT') });
  });

  it('is cut off by the signal, also later on', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const items = retryIterable(() => [1, new Promise<number>(() => {})], FAST, { signal });
    await items.next();
    const second = items.next();
    setTimeout(() => controller.abort(new Error('stop')), 5);

    await expect(second).rejects.toThrow('stop');
  });

  it('closes its source if it rejects', async () => {
    let isClosed = false;
    const source = function* () {
      try {
        yield Promise.resolve(1);
        yield Promise.reject(new Error('broke off'));
      } finally {
        isClosed = true;
      }
    };

    expect(await rejectionOf(collect(retryIterable(source, FAST)))).toEqual(new Error('broke off'));
    expect(isClosed).toBe(true);
  });
});

describe('a source', () => {
  it('may be what for await reads, too: an array', async () => {
    const items: number[] = [];
    for await (const item of retryIterable(() => [1, Promise.resolve(2)])) items.push(item);

    expect(items).toEqual([1, 2]);
  });

  it.each([undefined, null, 5, {}])(
    'that is %o is no iterable, and is not asked for again',
    async (source) => {
      const fn = vi.fn(() => source as never);

      await expect(retryIterable(fn, { backoff: { type: 'none' } }).next()).rejects.toThrow(
        /^fn returned no iterable, got \w+\. Return an async generator, a stream or an array\.$/,
      );
      expect(fn).toHaveBeenCalledTimes(1);
    },
  );

  it.each([1, 2])('that returns no result ends with the error of for await (result %i)', async (nth) => {
    let calls = 0;
    const next = async () => {
      calls += 1;
      if (calls > 100) throw new Error('it is read without end');
      return (calls < nth ? { value: 1, done: false } : 5) as never;
    };
    const items = { next };
    const read = async (): Promise<void> => {
      for await (const _ of retryIterable(() => ({ [Symbol.asyncIterator]: () => items }), {
        maxAttempts: 1,
      }));
    };

    await expect(read()).rejects.toThrow('Iterator result 5 is not an object');
  });
});

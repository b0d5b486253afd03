import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { retryIterable } from '@retry/inprocess';
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
          await new Promise((resolve) => setImmediate(resolve));
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
    await vi.waitFor(() => expect(isClosed).toBe(true));
  });

  it('passes a later error on, and does not start again', async () => {
    const source = vi.fn(async function* () {
      yield 1;
      throw new Error('broke off');
    });

    expect(await rejectionOf(collect(retryIterable(source, AT_ONCE)))).toEqual(new Error('broke off'));
    expect(source).toHaveBeenCalledTimes(1);
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

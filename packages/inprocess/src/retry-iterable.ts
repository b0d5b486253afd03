import type { Policy, PolicyInput } from '@retry/core';
import { policyOf } from '@retry/core/fields';
import { readCall, rulesWithout } from './call/check-options.ts';
import type { AttemptContext } from './call/context.ts';
import { AttemptWithContext } from './call/context.ts';
import type { RetryOptions } from './call/options.ts';
import { nested } from './call/plan.ts';
import { retry } from './retry.ts';
import type { AbortListener, AbortWait } from './time/abort-hub.ts';
import { joinSignals, onAbort } from './time/abort-hub.ts';

/** The rules of its options, without `retryIfResult`: the first item of an iterable is no result. */
const RULES = rulesWithout('retryIfResult');

/** What a `for await` loop reads. */
type Source<T> = AsyncIterable<T> | Iterable<T | PromiseLike<T>>;

/** The options of a call for an iterable. */
export type IterableOptions = Omit<RetryOptions, 'retryIfResult'>;

/**
 * Calls `fn` under retry until the first item of its iterable has arrived. After that, items and errors are passed
 * through, because what has been read cannot be read again, and timeouts have ended. An abort of the caller's signal, or
 * of that of the attempt around the call, ends the reading at any time: it closes the source and rejects with `signal.reason`.
 * Nothing runs before the first item is requested; leaving the loop early closes the source. Who reads without a loop, and not to the
 * end, has to call `return()`: until then the source stays open, and known to the signal. It ends what is under way, too: a wait for
 * another attempt, or for the next item, which is answered as the end of the items.
 *
 * @throws {InvalidOptionsError} immediately when the policy or the options are invalid
 */
export function retryIterable<T>(
  fn: (context: AttemptContext) => Source<T> | PromiseLike<Source<T>>,
  policy?: Policy | PolicyInput,
  options?: IterableOptions,
): AsyncGenerator<T, void, undefined> {
  const { policy: settings, options: read } = readCall('retryIterable', { fn, policy, options }, RULES);
  const own: IterableOptions = { ...read, name: read.name ?? fn.name };
  const start = (signal: AbortSignal): Promise<Opened<T>> =>
    retry((context) => open(context, fn), policyOf(settings), { ...own, signal });
  const leaving = new AbortController();
  return new Items(passThrough(own, start, leaving.signal), leaving);
}

/** Has what async generators inherit: `[Symbol.asyncDispose]`, for `await using`, and helpers, where the runtime has them. */
const AsyncItems = createAsyncItems();

function createAsyncItems(): new () => object {
  function Base(): void {} // the prototype of a class could not be another one
  Base.prototype = Object.getPrototypeOf(Object.getPrototypeOf(passThrough.prototype));
  return Base as unknown as new () => object; // so is any function of this kind
}

/** Items that may be left while the next one is awaited: a generator alone would let `return()` wait for that. */
class Items<T> extends AsyncItems implements AsyncGenerator<T, void, undefined> {
  readonly #items: AsyncGenerator<T, void, undefined>;
  readonly #leaving: AbortController;
  #pending = 0;

  constructor(items: AsyncGenerator<T, void, undefined>, leaving: AbortController) {
    super();
    this.#items = items;
    this.#leaving = leaving;
  }

  async next(): Promise<IteratorResult<T, void>> {
    this.#pending += 1;
    try {
      return await this.#items.next();
    } finally {
      this.#pending -= 1;
    }
  }

  return(): Promise<IteratorResult<T, void>> {
    this.#cut();
    return this.#items.return();
  }

  throw(error: unknown): Promise<IteratorResult<T, void>> {
    this.#cut();
    return this.#items.throw(error);
  }

  /** Who leaves between two items lets the source close in its own time. */
  #cut(): void {
    if (this.#pending > 0) this.#leaving.abort(new Error('the items are left'));
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

async function* passThrough<T>(
  options: IterableOptions,
  start: (signal: AbortSignal) => Promise<Opened<T>>,
  leaving: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const around = options.parent ?? nested.nesting?.current();
  const own = joinSignals(options.signal, leaving);
  let joined = own;
  let reader: Reader<T> | undefined;
  try {
    const opened = await start(own.signal);
    if (around !== undefined) joined = joinSignals(own.signal, around.signal);
    reader = new Reader(opened, joined.signal);
    for (let item = opened.first; !item.done; item = await reader.next()) yield item.value; // the consumer may return or throw here
  } catch (error) {
    if (leaving.aborted) return; // who has left wants none
    await reader?.end().catch(() => undefined); // as in `for await`, the first error counts
    throw error;
  } finally {
    own.release?.();
    joined.release?.();
    await reader?.end();
  }
}

/** A source whose first item has arrived, or that has ended without one. */
interface Opened<T> {
  readonly context: AttemptContext;
  readonly items: AsyncIterator<T>;
  readonly first: IteratorResult<T>;
  /** No longer closes the source when the attempt is aborted: someone reads it. */
  readonly handOver: () => void;
}

/** Opens the source and reads its first item; closes it once the attempt is aborted, though a read is pending, until it is handed over. */
async function open<T>(
  context: AttemptContext,
  fn: (context: AttemptContext) => Source<T> | PromiseLike<Source<T>>,
): Promise<Opened<T>> {
  const { signal } = context;
  const source = await fn(context);
  const items = iterate<T>(source) ?? context.stop(notIterable(source));
  if (signal.aborted) {
    close(items);
    throw signal.reason; // the attempt has ended, and what would be read is lost
  }
  const aborted = onAbort(signal, { onAborted: () => close(items) });
  const handOver = (): void => aborted?.end();
  try {
    return { context, items, first: checkItem(await items.next()), handOver };
  } catch (error) {
    handOver();
    throw error;
  }
}

function iterate<T>(source: unknown): AsyncIterator<T> | undefined {
  const { [Symbol.asyncIterator]: open, [Symbol.iterator]: openSync } = Object(source);
  return open === undefined || open === null ? withAwaited(openSync?.call(source)) : open.call(source);
}

/** Awaits items that are promises, as `for await` does: one that rejects closes the source. */
function withAwaited<T>(items: Iterator<T | PromiseLike<T>> | undefined): AsyncIterator<T> | undefined {
  if (items === undefined || Object(items) !== items) return undefined;
  return {
    next: async () => {
      const { done = false, value } = checkItem(items.next());
      try {
        return { done, value: await value } as IteratorResult<T>; // done goes with the type of its value
      } catch (error) {
        if (!done) close(items);
        throw error;
      }
    },
    return: async () => {
      await items.return?.();
      return { done: true, value: undefined };
    },
  };
}

function notIterable(source: unknown): TypeError {
  const seen = source === null ? 'null' : typeof source;
  return new TypeError(
    `fn returned no iterable, got ${seen}. Return an async generator, a stream or an array.`,
  );
}

/** @throws {TypeError} where `for await` does */
function checkItem<Item>(item: Item): Item {
  if (Object(item) === item) return item;
  throw new TypeError(`Iterator result ${String(item)} is not an object`);
}

/** Reads the items after the first, until the signal aborts. */
class Reader<T> implements AbortListener {
  readonly #opened: Opened<T>;
  readonly #signal: AbortSignal | undefined;
  readonly #wait: AbortWait | undefined;
  /** The source has to be closed if it is not read to its end. */
  #isOpen: boolean;
  /** Rejects the read that is pending. */
  #cut: ((reason: unknown) => void) | undefined = undefined;

  constructor(opened: Opened<T>, signal: AbortSignal | undefined) {
    this.#opened = opened;
    this.#signal = signal;
    this.#isOpen = !opened.first.done;
    opened.handOver();
    if (signal === undefined || !this.#isOpen) return;
    this.#wait = onAbort(signal, this);
    if (signal.aborted) this.onAborted();
  }

  async next(): Promise<IteratorResult<T>> {
    const signal = this.#signal;
    if (signal?.aborted) throw signal.reason;
    this.#isOpen = false; // an error of the source ends it
    const { items } = this.#opened;
    const item = checkItem(
      await (signal === undefined ? items.next() : this.#untilAborted(() => items.next())),
    );
    this.#isOpen = !item.done;
    return item;
  }

  #untilAborted<Value>(read: () => PromiseLike<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.#cut = reject;
      Promise.resolve(read()).then(resolve, reject);
    });
  }

  onAborted(): void {
    const { context, items } = this.#opened;
    const reason: unknown = this.#signal?.reason;
    this.#isOpen = false;
    if (context instanceof AttemptWithContext) context.interrupt(reason);
    close(items);
    this.#cut?.(reason);
  }

  async end(): Promise<void> {
    this.#wait?.end();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#opened.items.return?.();
  }
}

/** Closes a source that no reader waits for any more, or that has failed already. */
function close(items: Iterator<unknown> | AsyncIterator<unknown>): void {
  try {
    Promise.resolve(items.return?.()).catch(() => undefined);
  } catch {
    // Nothing waits for it.
  }
}

import type { Policy, PolicyInput } from '@retry/core';
import { policyOf } from '@retry/core/fields';
import { OPTION_RULES, readCall } from './call/check-options.ts';
import type { AttemptContext } from './call/context.ts';
import type { RetryOptions } from './call/options.ts';
import { retry } from './retry.ts';

/** It does not judge results: the first item of an iterable is none. */
const { retryIfResult: _, ...RULES } = OPTION_RULES;

/**
 * Calls `fn` under retry until the first item of its iterable has arrived. After that, items and errors are passed
 * through, because what has been read cannot be read again. Nothing runs before the first item is requested; leaving
 * the loop early closes the source.
 *
 * @throws {InvalidOptionsError} immediately when the policy or the options are invalid
 */
export function retryIterable<T>(
  fn: (context: AttemptContext) => AsyncIterable<T> | PromiseLike<AsyncIterable<T>>,
  policy?: Policy | PolicyInput,
  options?: Omit<RetryOptions, 'retryIfResult'>,
): AsyncGenerator<T, void, undefined> {
  const { policy: settings } = readCall('retryIterable', { fn, policy, options }, RULES);
  const name = options?.name ?? fn.name;
  return passThrough(() =>
    retry<Opened<T>>((context) => open(context, fn), policyOf(settings), { ...options, name }),
  );
}

async function* passThrough<T>(start: () => Promise<Opened<T>>): AsyncGenerator<T, void, undefined> {
  const { items, first } = await start();
  let item = first;
  let isOpen = !item.done;
  try {
    while (!item.done) {
      yield item.value; // the consumer may return or throw here
      isOpen = false; // an error of the source ends it
      item = await items.next();
      isOpen = !item.done;
    }
  } finally {
    if (isOpen) await items.return?.();
  }
}

/** A source whose first item has arrived, or that has ended without one. */
interface Opened<T> {
  readonly items: AsyncIterator<T>;
  readonly first: IteratorResult<T>;
}

/** Opens the source and reads its first item; closes it if the attempt was aborted meanwhile. */
async function open<T>(
  context: AttemptContext,
  fn: (context: AttemptContext) => AsyncIterable<T> | PromiseLike<AsyncIterable<T>>,
): Promise<Opened<T>> {
  const { signal } = context;
  const source = await fn(context);
  const items = source[Symbol.asyncIterator]();
  const first = await items.next();
  if (signal.aborted) await items.return?.();
  return { items, first };
}

import type { Policy, PolicyInput } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import type { RetryOptions } from './options.ts';
import { readCall } from './read-call.ts';
import { retry } from './retry.ts';

/**
 * Runs `fn` under retry until the first item of what it gives has come. From then on the items are passed
 * through, and so is an error among them: what has been read cannot be read again. Nothing runs before the first
 * item is asked for; leaving early closes the source.
 *
 * @throws {InvalidOptionsError} at once when the policy or the options are invalid
 */
export function retryIterable<T>(
  fn: (context: AttemptContext) => AsyncIterable<T> | PromiseLike<AsyncIterable<T>>,
  policy?: Policy | PolicyInput,
  options?: Omit<RetryOptions, 'retryIfResult'>,
): AsyncGenerator<T, void, undefined> {
  const { policy: defined } = readCall('retryIterable', { fn, policy, options });
  const name = options?.name ?? fn.name;
  return passOn(() => retry<Opened<T>>((context) => open(context, fn), defined, { ...options, name }));
}

async function* passOn<T>(start: () => Promise<Opened<T>>): AsyncGenerator<T, void, undefined> {
  const { items, first } = await start();
  let isDone = first.done === true;
  try {
    for (let item = first; !item.done; item = await items.next()) yield item.value;
    isDone = true;
  } catch (error) {
    isDone = true;
    throw error;
  } finally {
    if (!isDone) await items.return?.();
  }
}

/** A source that has given its first item, or has ended without one. */
interface Opened<T> {
  readonly items: AsyncIterator<T>;
  readonly first: IteratorResult<T>;
}

/** Closes a source whose first item came after its attempt had been given up. */
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

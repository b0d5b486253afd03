/** What is wrong with a function of the user's that answers by a promise, or by an iterator. */
export const MUST_BE_SYNCHRONOUS = 'must answer at once, not by a promise';

/** What to do instead. */
export const ASYNC_CURE =
  'Ask in beforeRetry(event) of withRetry, which is awaited, or before the attempt ends.';

const ASYNC_TAGS: readonly string[] = [
  '[object AsyncFunction]',
  '[object AsyncGeneratorFunction]',
  '[object GeneratorFunction]',
];

/**
 * Whether the function is written as `async` or as a generator, whose answer is always true. A function that only
 * returns a promise is not known before it is called.
 */
export function isAsync(value: unknown): boolean {
  return typeof value === 'function' && ASYNC_TAGS.includes(Object.prototype.toString.call(value));
}

/** Whether the value is a function that answers at once, as far as that can be seen. */
export function isSynchronous(value: unknown): boolean {
  return typeof value === 'function' && !isAsync(value);
}

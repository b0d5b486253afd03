import { RetryError } from '@retry/core';
import type { RetryOptions } from './options.ts';
import type { Failure } from './weigh-failure.ts';

/**
 * Asks `retryIfResult`; `undefined` when the result may be given to the caller. An answer that is a promise counts
 * as a throw: a promise is truthy, and would retry for ever.
 */
export function judgeResult(
  { retryIfResult }: RetryOptions<never>,
  result: unknown,
  attempt: number,
): Failure | undefined {
  if (retryIfResult === undefined) return undefined;
  const failure = { error: undefined, result };
  try {
    const answer: unknown = retryIfResult(result as never, { attempt }); // its type was checked with the options
    if (Object(answer).then === undefined) return answer ? failure : undefined;
    // It is not waited for, and when it rejects nothing else would take note.
    Promise.resolve(answer).catch(() => undefined);
    const message = 'retryIfResult must answer at once, got a promise. Await in the function.';
    throw new RetryError('ASYNC_GATE', message);
  } catch (thrown) {
    return { ...failure, thrown };
  }
}

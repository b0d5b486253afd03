import { RetryError } from '@retry/core';
import type { RetryOptions } from './options.ts';
import type { Failure } from './weigh-failure.ts';

/**
 * Asks `retryResult`; `undefined` when the result may be given to the caller. An answer that is a promise counts
 * as a throw: a promise is truthy, and would retry for ever.
 */
export function judgeResult(
  { retryResult }: RetryOptions<never>,
  result: unknown,
  attempt: number,
): Failure['refused'] {
  if (retryResult === undefined) return undefined;
  try {
    const answer: unknown = retryResult(result as never, { attempt }); // its type was checked with the options
    if (typeof answer === 'object' && answer !== null && 'then' in answer) throw asyncAnswer();
    return answer ? { result } : undefined;
  } catch (thrown) {
    return { result, thrown };
  }
}

function asyncAnswer(): RetryError {
  return new RetryError(
    'ASYNC_GATE',
    'retryResult must answer at once, got a promise. Await in the function.',
  );
}

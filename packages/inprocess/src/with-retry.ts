import type { Policy, PolicyInput } from '@retry/core';
import { openNested } from './call/open.ts';
import type { RetryOptions } from './call/options.ts';
import type { Layers } from './call/plan.ts';
import { createPlan } from './call/plan.ts';
import { readCall } from './call/read-call.ts';
import { wrap } from './wrap.ts';

const LAYERS: Layers = { open: openNested };

/**
 * A function that takes what `fn` takes and calls it, with the same `this` and arguments, again after each
 * failure that the policy retries.
 *
 * `fn` is not told when an attempt times out; it goes on unheard. Where it can be stopped, use `retry`, whose
 * function gets a signal.
 *
 * @returns a function with the name (the option's, else that of `fn`), parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} at once when the policy or the options are invalid
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy?: Policy | PolicyInput,
  options?: RetryOptions<NoInfer<Awaited<Result>>>,
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const wrapped = wrap(createPlan(readCall('withRetry', { fn, policy, options }), LAYERS));
  return wrapped as (this: This, ...parameters: Parameters) => Promise<Awaited<Result>>; // passes on what it is given
}

import type { Policy, PolicyInput } from '@retry/core';
import { openCall, openLater } from './open-call.ts';
import type { RetryOptions } from './options.ts';
import type { Target } from './plan.ts';
import { createPlan } from './plan.ts';
import { runAttempts } from './run-attempts.ts';

/**
 * A function that takes what `fn` takes and calls it, with the same `this` and arguments, again after each
 * failure that the policy retries.
 *
 * `fn` is not told when an attempt times out; it goes on unheard. Where it can be stopped, use `retry`, whose
 * function gets a signal.
 *
 * @returns a function with the name, parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 * @throws {PolicyError} at once when the policy is invalid
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy: Policy | PolicyInput = {},
  options: RetryOptions<NoInfer<Awaited<Result>>> = {},
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const plan = createPlan(fn as Target, policy, options); // called with this function's own parameters only
  function retried(this: This, ...parameters: Parameters): Promise<Awaited<Result>> {
    const call = openLater(plan) ? undefined : openCall(plan, 'no context');
    return runAttempts(plan, call, this, parameters) as Promise<Awaited<Result>>; // await unwraps
  }
  const { name, length } = fn;
  return Object.defineProperties(retried, { name: { value: name }, length: { value: length } });
}

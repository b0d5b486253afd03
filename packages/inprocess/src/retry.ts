import type { Policy, PolicyInput } from '@retry/core';
import { readCall } from './call/check-options.ts';
import type { AttemptContext } from './call/context.ts';
import { withContext } from './call/context.ts';
import { canOpenLater, openCall } from './call/open.ts';
import type { RetryOptions } from './call/options.ts';
import type { Plan } from './call/plan.ts';
import { createPlan } from './call/plan.ts';
import { runCall } from './call/run.ts';

/**
 * Wraps a function. The wrapper calls `fn` with its own `this` and arguments, and again after each failure that the
 * policy retries.
 *
 * `fn` learns nothing of a timeout of its attempt and runs to its end; the result is ignored. If it can be stopped,
 * use `retry`, whose function receives a signal.
 *
 * Of a function with overloads TypeScript reads the last one only: `withRetry(load) as typeof load` has them all, where each returns a promise.
 *
 * @returns a function with the name (the option's, else that of `fn`), parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} immediately when the policy or the options are invalid
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy?: Policy | PolicyInput,
  options?: RetryOptions<NoInfer<Awaited<Result>>, Readonly<NoInfer<Parameters>>>,
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const wrapped = wrap(createPlan(readCall('withRetry', { fn, policy, options })));
  return wrapped as (this: This, ...parameters: Parameters) => Promise<Awaited<Result>>; // passes on its arguments
}

/** Returns a function that calls that of the plan under retry; it has its length, its name (or the option's), and passes `this` on. */
export function wrap(plan: Plan): (this: unknown, ...parameters: unknown[]) => Promise<unknown> {
  function retried(this: unknown, ...parameters: unknown[]): Promise<unknown> {
    if (canOpenLater(plan)) return runCall(plan, undefined, this, parameters);
    try {
      return runCall(plan, openCall(plan, parameters), this, parameters);
    } catch (error) {
      return Promise.reject(error); // of a group, a signal or a parent that is the user's own
    }
  }
  const { name = plan.fn.name } = plan.options;
  const { length } = plan.fn;
  return Object.defineProperties(retried, { name: { value: name }, length: { value: length } });
}

/**
 * Calls `fn` now, and again after each failure that the policy retries. It never throws: wrong arguments are a
 * rejection, too, before `fn` is called.
 *
 * @returns what the first successful attempt returns
 * @throws the last attempt's own error, by identity; `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} when the policy or the options are invalid
 */
export function retry<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  policy?: Policy | PolicyInput,
  options?: RetryOptions<NoInfer<Awaited<T>>>,
): Promise<Awaited<T>> {
  try {
    const plan = createPlan(readCall('retry', { fn, policy, options }), withContext);
    return runCall(plan, openCall(plan)) as Promise<Awaited<T>>; // await has unwrapped it
  } catch (error) {
    return Promise.reject(error);
  }
}

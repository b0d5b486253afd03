import type { Policy } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import type { AttemptContext } from '../call/context.ts';
import { withContext } from '../call/context.ts';
import { openCall } from '../call/open.ts';
import type { Layers } from '../call/plan.ts';
import { createPlan } from '../call/plan.ts';
import { runCall } from '../call/run.ts';
import { wrap } from '../retry.ts';
import type { SlimOptions } from './check-call.ts';
import { checkCall } from './check-call.ts';

const LAYERS: Layers = { open: openCall };

const LAYERS_WITH_CONTEXT: Layers = { open: openCall, withContext };

/**
 * Wraps a function like `withRetry` of the main entry, for a policy that is plain data: made by `definePolicy`
 * elsewhere, or written as `{ ...basePolicy, maxAttempts: 5 }`. Keys, names and kinds of values are checked at run time, at
 * any depth; upper limits and combinations are checked only by `definePolicy`.
 *
 * @returns a function with the name, parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} immediately when a key is unknown, or a value of the wrong kind
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy: Policy | PolicySettings,
  options?: SlimOptions<NoInfer<Awaited<Result>>>,
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const plan = createPlan(checkCall(fn, policy, options), LAYERS);
  return wrap(plan) as (this: This, ...parameters: Parameters) => Promise<Awaited<Result>>; // passes on its arguments
}

/**
 * Calls a function like `retry` of the main entry, for a policy that is plain data; see `withRetry`.
 *
 * @returns what the first successful attempt returns
 * @throws the last attempt's own error, by identity; `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} (a rejection, before `fn` is called) when a key is unknown, or a value of the wrong kind
 */
export async function retry<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  policy: Policy | PolicySettings,
  options?: SlimOptions<NoInfer<Awaited<T>>>,
): Promise<Awaited<T>> {
  const plan = createPlan(checkCall(fn, policy, options), LAYERS_WITH_CONTEXT);
  return runCall(plan, openCall(plan)) as Promise<Awaited<T>>; // await has unwrapped it
}

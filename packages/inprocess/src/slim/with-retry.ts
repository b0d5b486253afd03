import type { Policy } from '@retry/core';
import type { PolicySettings } from '@retry/core/fields';
import { openCall } from '../open-call.ts';
import type { Layers } from '../plan.ts';
import { createPlan } from '../plan.ts';
import { wrap } from '../wrap.ts';
import { checkCall } from './check-call.ts';
import type { SlimOptions } from './slim-options.ts';

const LAYERS: Layers = { open: openCall };

/**
 * `withRetry` of the main entry, for a policy that is data: made by `definePolicy` elsewhere, or written as
 * `{ ...basePolicy, maxAttempts: 5 }`. Keys and kinds of values are checked at run time; ranges and how they fit
 * together only `definePolicy` checks.
 *
 * @returns a function with the name, parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} at once when a key is unknown, or a value of the wrong kind
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy: Policy | PolicySettings,
  options?: SlimOptions<NoInfer<Awaited<Result>>>,
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const plan = createPlan(checkCall(fn, policy, options), LAYERS);
  return wrap(plan) as (this: This, ...parameters: Parameters) => Promise<Awaited<Result>>; // passes on what it is given
}

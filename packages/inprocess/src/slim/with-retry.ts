import type { Policy } from '@retry/core';
import { openCall } from '../open-call.ts';
import type { Layers, Target } from '../plan.ts';
import { createPlan } from '../plan.ts';
import { wrap } from '../wrap.ts';
import type { SlimOptions } from './slim-options.ts';

const LAYERS: Layers = { open: openCall };

/**
 * `withRetry` of the main entry, for a policy that is trusted: made by `definePolicy` elsewhere, or written as
 * data that the compiler has checked, `{ ...basePolicy, maxAttempts: 5 }`. Nothing checks it at run time.
 *
 * @returns a function with the name, parameters and result of `fn`; it always returns a promise, which
 *   rejects with the last attempt's own error, by identity, or with `signal.reason` when the caller aborts
 */
export function withRetry<This, Parameters extends unknown[], Result>(
  fn: (this: This, ...parameters: Parameters) => Result,
  policy: Policy,
  options: SlimOptions<NoInfer<Awaited<Result>>> = {},
): (this: This, ...parameters: Parameters) => Promise<Awaited<Result>> {
  const plan = createPlan({ fn: fn as Target, policy, options }, LAYERS);
  return wrap(plan) as (this: This, ...parameters: Parameters) => Promise<Awaited<Result>>; // passes on what it is given
}

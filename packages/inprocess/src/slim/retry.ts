import type { Policy } from '@retry/core';
import type { AttemptContext } from '../attempt-context.ts';
import { tellAttempt } from '../attempt-context.ts';
import { openCall } from '../open-call.ts';
import type { Layers } from '../plan.ts';
import { createPlan } from '../plan.ts';
import { runCall } from '../run-call.ts';
import { checkCall } from './check-call.ts';
import type { SlimOptions } from './slim-options.ts';

const LAYERS: Layers = { open: openCall, tell: tellAttempt };

/**
 * `retry` of the main entry, for a policy that is data; see `withRetry`.
 *
 * @returns what the first successful attempt returns
 * @throws the last attempt's own error, by identity; `signal.reason` when the caller aborts
 * @throws {InvalidOptionsError} (a rejection, before `fn` runs) when a key is unknown, or a value of the wrong kind
 */
export async function retry<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  policy: Policy,
  options?: SlimOptions<NoInfer<Awaited<T>>>,
): Promise<Awaited<T>> {
  const plan = createPlan(checkCall(fn, policy, options), LAYERS); // without parameters, the loop passes the context
  return runCall(plan, openCall(plan), undefined, undefined) as Promise<Awaited<T>>; // await has unwrapped it
}

import type { Policy, PolicyInput } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import { openCall } from './open-call.ts';
import type { RetryOptions } from './options.ts';
import type { Target } from './plan.ts';
import { createPlan } from './plan.ts';
import { runAttempts } from './run-attempts.ts';

/**
 * Runs `fn` now, and again after each failure that the policy retries.
 *
 * @returns what the first successful attempt returns
 * @throws the last attempt's own error, by identity; `signal.reason` when the caller aborts
 * @throws {PolicyError} when the policy is invalid
 */
export function retry<T>(
  policy: Policy | PolicyInput,
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  options: RetryOptions<NoInfer<Awaited<T>>> = {},
): Promise<Awaited<T>> {
  const plan = createPlan(fn as Target, policy, options); // without parameters, the loop passes the context
  return runAttempts(plan, openCall(plan, 'context'), undefined, undefined) as Promise<Awaited<T>>; // await has unwrapped it
}

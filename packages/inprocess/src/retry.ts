import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import { tellAttempt } from './attempt-context.ts';
import { openNested } from './open-nested.ts';
import type { RetryOptions } from './options.ts';
import type { Layers, Target } from './plan.ts';
import { createPlan } from './plan.ts';
import { runCall } from './run-call.ts';

/** What calls know whose function is told of its attempts. */
export const TOLD: Layers = { open: openNested, tell: tellAttempt };

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
  const retried = { fn: fn as Target, policy: definePolicy(policy), options }; // without parameters, the loop passes the context
  const plan = createPlan(retried, TOLD);
  return runCall(plan, openNested(plan), undefined, undefined) as Promise<Awaited<T>>; // await has unwrapped it
}

import type { Policy, PolicyInput } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import { tellAttempt } from './attempt-context.ts';
import { openNested } from './open-nested.ts';
import type { RetryOptions } from './options.ts';
import type { Layers, Plan } from './plan.ts';
import { createPlan } from './plan.ts';
import { readCall } from './read-call.ts';
import { runCall } from './run-call.ts';

/** What calls know whose function is told of its attempts. */
export const TOLD: Layers = { open: openNested, tell: tellAttempt };

/**
 * Runs `fn` now, and again after each failure that the policy retries. It never throws: what is wrong with its
 * arguments is a rejection too, before `fn` runs.
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
  let plan: Plan;
  try {
    plan = createPlan(readCall('retry', { fn, policy, options }), TOLD);
  } catch (error) {
    return Promise.reject(error);
  }
  return runCall(plan, openNested(plan), undefined, undefined) as Promise<Awaited<T>>; // await has unwrapped it
}

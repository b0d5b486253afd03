import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import type { FailedAttempt } from './failed-attempt.ts';
import { historyOf } from './failed-attempt.ts';
import { openNested } from './open-nested.ts';
import type { RetryOptions, StopReason } from './options.ts';
import type { Target } from './plan.ts';
import { createPlan } from './plan.ts';
import { TOLD } from './retry.ts';
import { runCall } from './run-call.ts';

/** What a call came to, as a value. */
export type RetryResult<T> = {
  /** The call's own name, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** Attempts that were made; 0 when the caller had aborted before the first. */
  readonly attempts: number;
  /** The first failed attempt and the latest nine, oldest first. */
  readonly history: readonly FailedAttempt[];
} & (
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** The last attempt's own error, by identity; `signal.reason` when the caller aborted. */
      readonly error: unknown;
      readonly reason: StopReason;
      /** What a gate, predicate or strategy threw, when that is why it stopped. */
      readonly thrown?: unknown;
    }
);

/**
 * As `retry`, but failure is a value too: the promise never rejects. A result that `retryResult` refused to
 * the end is a value that is `ok`.
 *
 * @throws {PolicyError} when the policy is invalid
 */
export async function tryRetry<T>(
  policy: Policy | PolicyInput,
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  options: RetryOptions<NoInfer<Awaited<T>>> = {},
): Promise<RetryResult<Awaited<T>>> {
  const retried = { fn: fn as Target, policy: definePolicy(policy), options }; // without parameters, the loop passes the context
  const plan = createPlan(retried, TOLD);
  const call = openNested(plan);
  const about = () => ({
    id: call.id,
    attempts: call.over?.attempt ?? call.begun,
    history: historyOf(call.latest),
  });
  try {
    const value = (await runCall(plan, call, undefined, undefined)) as Awaited<T>; // await has unwrapped it
    return { ok: true, value, ...about() };
  } catch (error) {
    const { reason = 'stopped', thrown } = call.over ?? {};
    return { ok: false, error, reason, ...(thrown !== undefined && { thrown }), ...about() };
  }
}

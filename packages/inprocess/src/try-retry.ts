import type { Policy, PolicyInput } from '@retry/core';
import { readCall } from './call/check-options.ts';
import type { AttemptContext } from './call/context.ts';
import { withContext } from './call/context.ts';
import type { GiveUpReason } from './call/events.ts';
import type { FailedAttempt } from './call/history.ts';
import { historyOf } from './call/history.ts';
import { openCall } from './call/open.ts';
import type { RetryOptions } from './call/options.ts';
import type { Call } from './call/plan.ts';
import { createPlan } from './call/plan.ts';
import { runCall } from './call/run.ts';

/** How a call without a success ended. */
export interface Refusal {
  /** Why the retrying ended, as in its `onGiveUp` event. */
  readonly reason: GiveUpReason;
  /** What a gate, predicate, strategy, `retryIfResult` or `beforeRetry` threw, if that is why the retrying stopped. */
  readonly thrown?: unknown;
}

/** The outcome of a call, as a value. */
export type RetryResult<T> = {
  /** The call's own id, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** Attempts that were made; 0 when the caller had aborted before the first, or a circuit breaker was open. */
  readonly attempts: number;
  /** Attempts after the first, `0 ≤ retries < attempts` if there was one. */
  readonly retries: number;
  /** Whether there was an attempt after the first. */
  readonly retried: boolean;
  /** The first failed attempt and the latest nine, oldest first. */
  readonly history: readonly FailedAttempt[];
} & (
  | { readonly ok: true; readonly isRefused: false; readonly value: T }
  /** `retryIfResult` refused the value to the end. */
  | ({ readonly ok: true; readonly isRefused: true; readonly value: T } & Refusal)
  | ({
      /** The call has no value. */
      readonly ok: false;
      /** Only a value can be refused. */
      readonly isRefused: false;
      /** The last attempt's own error, by identity; `signal.reason` when the caller aborted. */
      readonly error: unknown;
    } & Refusal)
);

/**
 * Calls `fn` like `retry`, but returns failures as values. A result that `retryIfResult` refused to the end is `ok` and
 * `isRefused`.
 *
 * The promise rejects for one reason only, before `fn` is called: an `InvalidOptionsError`, when the policy or the
 * options are invalid.
 */
export async function tryRetry<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  policy?: Policy | PolicyInput,
  options?: RetryOptions<NoInfer<Awaited<T>>>,
): Promise<RetryResult<Awaited<T>>> {
  const plan = createPlan(readCall('tryRetry', { fn, policy, options }), withContext);
  const call = openCall(plan);
  try {
    const value = (await runCall(plan, call)) as Awaited<T>; // await has unwrapped it
    if (call.ending === undefined) return { ok: true, isRefused: false, value, ...factsOf(call) };
    return { ok: true, isRefused: true, value, ...refusalOf(call.ending), ...factsOf(call) };
  } catch (error) {
    const ending = call.ending ?? { reason: 'stopped' };
    return { ok: false, isRefused: false, error, ...refusalOf(ending), ...factsOf(call) };
  }
}

function factsOf(
  call: Call,
): Pick<RetryResult<unknown>, 'id' | 'attempts' | 'retries' | 'retried' | 'history'> {
  const attempts = call.ending?.attempt ?? call.attempts;
  const retries = Math.max(attempts - 1, 0);
  return { id: call.id, attempts, retries, retried: retries > 0, history: historyOf(call.latest) };
}

function refusalOf({ reason, thrown }: Refusal): Refusal {
  return { reason, ...(thrown !== undefined && { thrown }) };
}

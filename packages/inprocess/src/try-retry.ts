import type { Policy, PolicyInput } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import type { Call } from './call.ts';
import type { FailedAttempt } from './failed-attempt.ts';
import { historyOf } from './failed-attempt.ts';
import { openNested } from './open-nested.ts';
import type { GiveUpReason, RetryOptions } from './options.ts';
import { createPlan } from './plan.ts';
import { readCall } from './read-call.ts';
import { TOLD } from './retry.ts';
import { runCall } from './run-call.ts';

/** How a call that did not succeed ended. */
interface Refusal {
  readonly reason: GiveUpReason;
  /** What a gate, predicate, strategy, `retryIfResult` or `beforeRetry` threw, when that is why it stopped. */
  readonly thrown?: unknown;
}

/** What a call came to, as a value. */
export type RetryResult<T> = {
  /** The call's own id, the same as `ctx.id` of its attempts. */
  readonly id: string;
  /** Attempts that were made; 0 when the caller had aborted before the first. */
  readonly attempts: number;
  /** Attempts after the first, `0 ≤ retries < attempts` where there was one. */
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
      readonly ok: false;
      readonly isRefused: false;
      /** The last attempt's own error, by identity; `signal.reason` when the caller aborted. */
      readonly error: unknown;
    } & Refusal)
);

/**
 * As `retry`, but failure is a value too. A result that `retryIfResult` refused to the end is a value that is `ok`, and
 * `isRefused`.
 *
 * The promise rejects for one reason only, before `fn` runs: an `InvalidOptionsError`, when the policy or the options
 * are invalid.
 */
export async function tryRetry<T>(
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  policy?: Policy | PolicyInput,
  options?: RetryOptions<NoInfer<Awaited<T>>>,
): Promise<RetryResult<Awaited<T>>> {
  const plan = createPlan(readCall('tryRetry', { fn, policy, options }), TOLD);
  const call = openNested(plan);
  try {
    const value = (await runCall(plan, call, undefined, undefined)) as Awaited<T>; // await has unwrapped it
    if (call.over === undefined) return { ok: true, isRefused: false, value, ...factsOf(call) };
    return { ok: true, isRefused: true, value, ...refusalOf(call.over), ...factsOf(call) };
  } catch (error) {
    const over = call.over ?? { reason: 'stopped' };
    return { ok: false, isRefused: false, error, ...refusalOf(over), ...factsOf(call) };
  }
}

function factsOf(
  call: Call,
): Pick<RetryResult<unknown>, 'id' | 'attempts' | 'retries' | 'retried' | 'history'> {
  const attempts = call.over?.attempt ?? call.begun;
  const retries = Math.max(attempts - 1, 0);
  return { id: call.id, attempts, retries, retried: retries > 0, history: historyOf(call.latest) };
}

function refusalOf({ reason, thrown }: Refusal): Refusal {
  return { reason, ...(thrown !== undefined && { thrown }) };
}

import { isEligible } from '../../decision/counters.ts';
import { computeDelay } from '../../delay/compute-delay.ts';
import { explain } from '../../inspect/explain.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { readFactor, readOptions, readSeconds } from '../read-options.ts';

/** Where a Tasker step stands with its next retry; instants are epoch milliseconds. */
export interface TaskerTimes {
  /** Executions so far. */
  readonly attempts?: number | null;
  /** Backoff stored with the step. */
  readonly backoffMs?: number | null;
  /** When the stored backoff counts from. */
  readonly lastAttemptedAt?: number | null;
  /** When the step last went through the state `error`. */
  readonly failedAt?: number | null;
}

/** What the readiness rule looks at. */
export interface TaskerStep extends TaskerTimes {
  /** Tasker's name of the state; only `pending` and `waiting_for_retry` can become ready. */
  readonly state: string;
  readonly isInProcess?: boolean;
  readonly isProcessed?: boolean;
  /** @default true */
  readonly areDependenciesMet?: boolean;
}

/** The answer of the readiness rule. */
export interface TaskerReadiness {
  readonly isEligible: boolean;
  /** Epoch milliseconds; absent = no wait. */
  readonly nextRetryAt?: number;
  readonly isReady: boolean;
}

/** Configuration of the fallback that holds where no backoff was stored; seconds. */
export interface TaskerFallback {
  /** @default 60 */
  readonly max_backoff_seconds?: number;
  /** @default 2 */
  readonly backoff_multiplier?: number;
}

/**
 * When a step may be tried again: its stored backoff after its last attempt, else `multiplier^attempts` seconds
 * after its failure (unset attempts count as 1), else at once.
 *
 * @returns epoch milliseconds; `undefined` for no wait
 * @throws {InvalidOptionsError} when the configuration is wrong
 */
export function taskerNextRetryAt(times: TaskerTimes, fallback: TaskerFallback = {}): number | undefined {
  const policy = fallbackPolicy(fallback);
  const { backoffMs, lastAttemptedAt, failedAt, attempts } = times;
  if (isSet(backoffMs) && isSet(lastAttemptedAt)) return lastAttemptedAt + backoffMs;
  if (!isSet(failedAt)) return undefined;
  return failedAt + computeDelay(policy, (attempts ?? 1) + 1, { random: () => 0 });
}

/**
 * Whether a step may start now: in a state that waits, untouched, eligible by the policy, and due.
 *
 * @param policy - of `fromTasker`
 * @param now - epoch milliseconds; a step is due at its very instant
 */
export function taskerReadiness(policy: Policy, step: TaskerStep, now: number): TaskerReadiness {
  const eligible = isEligible(policy, { failures: step.attempts ?? 0 });
  const nextRetryAt = taskerNextRetryAt(step);
  const waits = step.state === 'pending' || step.state === 'waiting_for_retry';
  const isFree = step.isInProcess !== true && step.isProcessed !== true && step.areDependenciesMet !== false;
  const isDue = nextRetryAt === undefined || nextRetryAt <= now;
  return {
    isEligible: eligible,
    ...(nextRetryAt !== undefined && { nextRetryAt }),
    isReady: waits && isFree && eligible && isDue,
  };
}

/**
 * The state that a failed step goes to. One rule decides, the one that readiness uses too, so no step is parked
 * in `waiting_for_retry` that can never become ready.
 *
 * @param policy - of `fromTasker`
 * @param error - what was thrown; a `NonRetryableError` is Tasker's "not retryable"
 */
export function taskerAfterError(
  policy: Policy,
  attempts: number | null | undefined,
  error: unknown,
): 'waiting_for_retry' | 'error' {
  return explain(policy, error, { failures: attempts ?? 0 }).retries ? 'waiting_for_retry' : 'error';
}

function fallbackPolicy(fallback: TaskerFallback): Policy {
  const keys = ['max_backoff_seconds', 'backoff_multiplier'];
  return readOptions(fallback, keys, (fields) =>
    definePolicy({
      backoff: { type: 'exponential', base: '1s', factor: readFactor(fields, 'backoff_multiplier', 2) },
      jitter: 'none',
      maxDelay: readSeconds(fields, 'max_backoff_seconds', 60),
    }),
  );
}

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

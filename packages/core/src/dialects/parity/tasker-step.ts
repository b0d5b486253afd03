import { isEligible } from '../../decision/counters.ts';
import { computeDelay } from '../../delay/compute-delay.ts';
import { explain } from '../../inspect/explain.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { Policy } from '../../policy/policy.ts';
import { factor, seconds, valuesOf } from '../option.ts';
import { readOptions } from '../read-options.ts';

/** The fields of a Tasker step that its next retry depends on; instants are epoch milliseconds. */
export interface TaskerTimes {
  /** Executions so far. */
  readonly attempts?: number | null;
  /** Backoff stored with the step. */
  readonly backoffMs?: number | null;
  /** The start of the stored backoff. */
  readonly lastAttemptedAt?: number | null;
  /** When the step was last in the state `error`. */
  readonly failedAt?: number | null;
}

/** The fields of a Tasker step that its readiness depends on. */
export interface TaskerStep extends TaskerTimes {
  /** Tasker's name of the state; only `pending` and `waiting_for_retry` can become ready. */
  readonly state: string;
  /** A worker executes it. @default false */
  readonly isInProcess?: boolean;
  /** Whether it is done. @default false */
  readonly isProcessed?: boolean;
  /** @default true */
  readonly areDependenciesMet?: boolean;
}

/** The result of the readiness rule. */
export interface TaskerReadiness {
  /** Whether the policy has attempts left. */
  readonly isEligible: boolean;
  /** Epoch milliseconds; absent: no delay. */
  readonly nextRetryAt?: number;
  /** Whether it may start now. */
  readonly isReady: boolean;
}

/** Configuration of the delay of a step without a stored backoff; durations are in seconds. */
export interface TaskerFallback {
  /** @default 60 */
  readonly max_backoff_seconds?: number;
  /** @default 2 */
  readonly backoff_multiplier?: number;
}

/**
 * Returns when a step may be retried: its stored backoff after its last attempt, else `multiplier^attempts` seconds after
 * its failure (unset attempts count as 1), else immediately.
 *
 * @returns epoch milliseconds; `undefined`: no delay
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
 * Returns whether a step may start now: it is in a waiting state, not in process, eligible by the policy, and due.
 *
 * @param policy - made by `fromTasker`
 * @param now - epoch milliseconds; a step is due from `nextRetryAt` on, inclusive
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
 * Returns the next state of a failed step. By the same rule as `taskerReadiness`, so that no step stays in
 * `waiting_for_retry` without ever becoming ready.
 *
 * @param policy - made by `fromTasker`
 * @param error - what was thrown; a `NonRetryableError` stands for Tasker's "not retryable"
 */
export function taskerAfterError(
  policy: Policy,
  attempts: number | null | undefined,
  error: unknown,
): 'waiting_for_retry' | 'error' {
  return explain(policy, error, { failures: attempts ?? 0 }).retries ? 'waiting_for_retry' : 'error';
}

function fallbackPolicy(fallback: TaskerFallback): Policy {
  const keys = Object.keys(FALLBACK);
  const values = readOptions(fallback, { keys }, (fields, report) => valuesOf(FALLBACK, fields, report));
  return definePolicy({
    backoff: { type: 'exponential', base: '1s', factor: values.backoff_multiplier },
    jitter: 'none',
    maxDelay: values.max_backoff_seconds,
  });
}

const FALLBACK = {
  max_backoff_seconds: seconds(60_000, 'the longest delay'),
  backoff_multiplier: factor(2, 'what each delay is multiplied by'),
};

function isSet<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

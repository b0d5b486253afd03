import type { Policy } from '../policy/policy.ts';
import type { Span } from './span.ts';
import { add, cutAt } from './span.ts';
import { walk } from './walk.ts';

/** One retry of a {@link Preview}. */
export interface RetryPreview {
  /** Counted from 1. */
  readonly retry: number;
  /** The wait before it. */
  readonly delay: Span;
  /** From the start of the first attempt to the start of this retry. */
  readonly startsAfter: Span;
}

/** What a policy can do at most when every attempt fails with an error it retries. */
export interface Preview {
  /** The retries in order; at most `limit` of them. */
  readonly retries: readonly RetryPreview[];
  /** How many retries there can be: `0 ≤ maxRetries ≤ Infinity`, less than `maxAttempts` where the deadline cuts. */
  readonly maxRetries: number;
  /** Whether there is an end: a limited number of attempts, or a deadline. */
  readonly isBounded: boolean;
  /**
   * From the start of the first attempt to the end of the last, cut at the deadline; `maxMs` is the worst case.
   * Where waits still grow after the thousandth retry, and no deadline ends them, it is `Infinity`.
   */
  readonly total: Span;
}

/** How to look ahead. */
export interface PreviewOptions {
  /** How long each attempt takes, in ms. @default 0 to `attemptTimeoutMs`, or 0 where there is none */
  readonly attemptMs?: number;
  /** How many retries to list; an unlimited policy has no last one. @default 1000 */
  readonly limit?: number;
}

/**
 * The timetable of a policy without waiting for it: what `decide` would do, retry by retry.
 *
 * Means are exact for uniform jitter and an approximation for decorrelated backoff.
 */
export function preview(policy: Policy, options: PreviewOptions = {}): Preview {
  const { attemptMs, limit = 1_000 } = options;
  const { deadlineMs, maxAttempts, retryable } = policy;
  const attempt = attemptSpan(policy, attemptMs);
  const most = retryable ? maxAttempts - 1 : 0;
  const { retries, maxRetries, startsAfter, soonestMs } = walk(policy, { attempt, most, limit });
  const end = cutAt(add(startsAfter, attempt), deadlineMs);
  return {
    retries,
    maxRetries,
    isBounded: most < Infinity || deadlineMs < Infinity,
    total: { ...end, minMs: Math.min(end.minMs, soonestMs) },
  };
}

function attemptSpan({ attemptTimeoutMs }: Policy, attemptMs: number | undefined): Span {
  if (attemptMs !== undefined) return { minMs: attemptMs, meanMs: attemptMs, maxMs: attemptMs };
  return { minMs: 0, meanMs: 0, maxMs: attemptTimeoutMs < Infinity ? attemptTimeoutMs : 0 };
}

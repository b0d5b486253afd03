import { delayBounds } from '../delay/delay-bounds.ts';
import type { Policy } from '../policy/policy.ts';
import { meanDelay } from './mean-delay.ts';

/** The least, the expected and the most, in milliseconds. */
export interface Span {
  readonly minMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

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
   * From the start of the first attempt to the end of the last; `maxMs` is the worst case. Beyond `limit` the
   * waits are taken to stay as they are; while they still grow there, `maxMs` is `Infinity`.
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

const NOTHING: Span = { minMs: 0, meanMs: 0, maxMs: 0 };

/**
 * The timetable of a policy without waiting for it: what `decide` would do, retry by retry.
 *
 * Means are exact for uniform jitter and an approximation for decorrelated backoff.
 */
export function preview(policy: Policy, options: PreviewOptions = {}): Preview {
  const { attemptMs, limit = 1_000 } = options;
  const attempt = attemptSpan(policy, attemptMs);
  const most = policy.retryable ? policy.maxAttempts - 1 : 0;
  const retries: RetryPreview[] = [];
  let startsAfter = NOTHING;
  let isCut = false;

  for (let retry = 1; retry <= Math.min(most, limit); retry += 1) {
    const delay = delaySpan(policy, retry, retries.at(-1)?.delay);
    const next = add(add(startsAfter, attempt), delay);
    // Even the quickest way there is too late: decide() refuses to start at the deadline or after it.
    isCut = next.minMs >= policy.deadlineMs;
    if (isCut) break;
    startsAfter = cutAt(next, policy.deadlineMs);
    retries.push({ retry, delay, startsAfter });
  }
  const isBounded = most < Infinity || policy.deadlineMs < Infinity;
  const end = add(isCut ? startsAfter : afterTheRest(retries, most, attempt), attempt);
  return {
    retries,
    maxRetries: isCut ? retries.length : most,
    isBounded,
    total: cutAt(end, policy.deadlineMs),
  };
}

/** When the last retry starts, also when there are more than are listed: the waits that follow are the same. */
function afterTheRest(retries: readonly RetryPreview[], most: number, attempt: Span): Span {
  const last = retries.at(-1);
  if (last === undefined) return NOTHING;
  const left = most - retries.length;
  if (left === 0) return last.startsAfter;

  const isSteady = last.delay.maxMs === retries.at(-2)?.delay.maxMs;
  const step = add(attempt, isSteady ? last.delay : { ...last.delay, maxMs: Infinity });
  return add(last.startsAfter, {
    minMs: step.minMs * left,
    meanMs: step.meanMs * left,
    maxMs: step.maxMs * left,
  });
}

function attemptSpan({ attemptTimeoutMs }: Policy, attemptMs: number | undefined): Span {
  if (attemptMs !== undefined) return { minMs: attemptMs, meanMs: attemptMs, maxMs: attemptMs };
  return { minMs: 0, meanMs: 0, maxMs: attemptTimeoutMs < Infinity ? attemptTimeoutMs : 0 };
}

function delaySpan(policy: Policy, retry: number, previous: Span | undefined): Span {
  const [minMs, maxMs] = delayBounds(policy, retry);
  return { minMs, meanMs: meanDelay(policy, retry, previous?.meanMs), maxMs };
}

function add(one: Span, other: Span): Span {
  return {
    minMs: one.minMs + other.minMs,
    meanMs: one.meanMs + other.meanMs,
    maxMs: one.maxMs + other.maxMs,
  };
}

function cutAt({ minMs, meanMs, maxMs }: Span, deadlineMs: number): Span {
  return { minMs, meanMs: Math.min(meanMs, deadlineMs), maxMs: Math.min(maxMs, deadlineMs) };
}

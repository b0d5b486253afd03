import { delayBounds } from '../delay/delay-bounds.ts';
import type { Policy } from '../policy/policy.ts';
import { meanDelay } from './mean-delay.ts';
import type { RetryPreview } from './preview.ts';
import type { DurationRange } from './span.ts';
import { add, cutAt, exactly, NOTHING, times } from './span.ts';

/** What a walk is to know besides the policy. */
export interface WalkOptions {
  readonly attempt: DurationRange;
  /** Retries that the policy grants, `0 ≤ most ≤ Infinity`. */
  readonly most: number;
  /** Retries to list. */
  readonly limit: number;
}

/** Where a walk ended. */
export interface Walk {
  readonly retries: readonly RetryPreview[];
  readonly maxRetries: number;
  /** Start of the last retry. */
  readonly startsAfter: DurationRange;
  /** The earliest that a deadline can end it before its last retry; `Infinity` when it cannot. */
  readonly soonestMs: number;
}

/** So many retries are gone through one by one at least; those after them are taken together. */
const STEPS = 1_000;

/** Goes through the retries of a policy as if every attempt failed. */
export function walk(policy: Policy, options: WalkOptions): Walk {
  const { attempt, limit } = options;
  const { totalTimeoutMs } = policy;
  const steps = stepsOf(policy, options);
  const retries: RetryPreview[] = [];
  let startsAfter = exactly(policy.initialDelayMs);
  let soonestMs = Infinity;
  let delay = NOTHING;
  for (let retry = 1; retry <= steps; retry += 1) {
    delay = delaySpan(policy, retry, delay.meanMs);
    const next = add(add(startsAfter, attempt), delay);
    // A slow draw alone reaches the totalTimeout: then the attempt before was the last one.
    if (next.maxMs >= totalTimeoutMs) soonestMs = Math.min(soonestMs, startsAfter.minMs + attempt.minMs);
    // Even the quickest way there is too late: decide() refuses to start at the deadline or after it.
    if (next.minMs >= totalTimeoutMs) return { retries, maxRetries: retry - 1, startsAfter, soonestMs };
    startsAfter = cutAt(next, totalTimeoutMs);
    if (retry <= limit) retries.push({ retry, delay, startsAfter });
  }
  const rest = walkTheRest(policy, { ...options, startsAfter, delay });
  return { ...rest, retries, soonestMs: Math.min(soonestMs, rest.soonestMs) };
}

/** How many retries are gone through one by one: also the whole of a list, whose delays follow no rule. */
function stepsOf({ backoff }: Policy, { most, limit }: WalkOptions): number {
  const listed = backoff.type === 'list' ? backoff.delaysMs.length : 0;
  return Math.min(most, Math.max(limit, STEPS, listed));
}

interface Position extends WalkOptions {
  readonly startsAfter: DurationRange;
  readonly delay: DurationRange;
}

/** The retries after those that were gone through: their waits are the same, or still grow or shrink. */
function walkTheRest(policy: Policy, position: Position): Omit<Walk, 'retries'> {
  const { attempt, delay, most, startsAfter } = position;
  const { totalTimeoutMs } = policy;
  const walked = stepsOf(policy, position);
  if (walked === most) return { maxRetries: most, startsAfter, soonestMs: Infinity };

  const step = add(attempt, lateDelay(policy, delay));
  // Infinity where the quickest way takes no time: every retry fits.
  const fitting = Math.ceil((totalTimeoutMs - startsAfter.minMs) / step.minMs) - 1;
  const left = Math.min(most - walked, fitting);
  return {
    maxRetries: walked + left,
    startsAfter: cutAt(add(startsAfter, times(step, left)), totalTimeoutMs),
    // Only luck can end it sooner than its quickest way goes.
    soonestMs:
      totalTimeoutMs < Infinity && step.minMs < step.maxMs ? startsAfter.minMs + attempt.minMs : Infinity,
  };
}

/** What each delay after this one can be: as low as the last of all, and without end where they grow. */
function lateDelay(policy: Policy, delay: DurationRange): DurationRange {
  const [lowest, highest] = delayBounds(policy, Number.MAX_SAFE_INTEGER);
  return {
    minMs: Math.min(delay.minMs, lowest),
    meanMs: delay.meanMs,
    maxMs: highest > delay.maxMs ? Infinity : delay.maxMs,
  };
}

function delaySpan(policy: Policy, retry: number, previousMeanMs: number): DurationRange {
  const [minMs, maxMs] = delayBounds(policy, retry);
  return { minMs, meanMs: meanDelay(policy, retry, retry === 1 ? undefined : previousMeanMs), maxMs };
}

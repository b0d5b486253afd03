import { boundsOf } from '../delay/delay-bounds.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { DelayContext } from '../policy/strategy.ts';
import { meanDelay } from './mean-delay.ts';
import type { DurationRange } from './span.ts';
import { add, cutAt, exactly, NOTHING, times } from './span.ts';

/** One retry of a preview. */
export interface RetryPreview {
  /** Counted from 1. */
  readonly retry: number;
  /** The delay before it. */
  readonly delay: DurationRange;
  /** How long after the start of the call, `initialDelay` included, this retry starts. */
  readonly startsAfter: DurationRange;
}

/** What `walk` needs besides the policy. */
export interface WalkOptions {
  /** How long each attempt takes. */
  readonly attempt: DurationRange;
  /** Retries that the policy allows, `0 ≤ allowedRetries ≤ Infinity`. */
  readonly allowedRetries: number;
  /** Retries to list. */
  readonly limit: number;
  /** What every attempt fails with. */
  readonly error?: unknown;
}

/** The retries, and how they end. */
export interface Walk {
  readonly retries: readonly RetryPreview[];
  readonly maxRetries: number;
  /** How long after the start of the call the last retry starts. */
  readonly startsAfter: DurationRange;
  /** The earliest end by the total timeout before the last retry; `Infinity` if it cannot end it. */
  readonly soonestMs: number;
  /** Whether a custom strategy ends them by `'stop'`. */
  readonly isStopped: boolean;
}

/** The least number of retries that are computed one by one; those after them are computed together. */
const MIN_STEPS = 1_000;

/** Computes the retries of a policy if every attempt fails. */
export function walk(policy: PolicySettings, options: WalkOptions): Walk {
  const { attempt, limit, error } = options;
  const { totalTimeoutMs } = policy;
  const steps = stepsOf(policy, options);
  const retries: RetryPreview[] = [];
  let startsAfter = exactly(policy.initialDelayMs);
  let soonestMs = Infinity;
  let delay = NOTHING;
  for (let retry = 1; retry <= steps; retry += 1) {
    const elapsed = add(startsAfter, attempt);
    const drawn = delaySpan(policy, retry, {
      failures: retry,
      elapsedMs: elapsed.meanMs,
      attemptMs: attempt.meanMs,
      error,
      previousDelayMs: retry === 1 ? undefined : delay.meanMs,
    });
    const ended = { retries, maxRetries: retry - 1, startsAfter, soonestMs };
    if (drawn === undefined) return { ...ended, isStopped: true };
    delay = drawn;
    const next = add(elapsed, delay);
    // If only long draws reach the total timeout, they make the previous attempt the last one.
    if (next.maxMs >= totalTimeoutMs) soonestMs = Math.min(soonestMs, startsAfter.minMs + attempt.minMs);
    // Even the shortest draws are too late: decide() refuses a retry at or after the total timeout.
    if (next.minMs >= totalTimeoutMs) return { ...ended, soonestMs, isStopped: false };
    startsAfter = cutAt(next, totalTimeoutMs);
    if (retry <= limit) retries.push({ retry, delay, startsAfter });
  }
  const rest = walkTheRest(policy, { ...options, startsAfter, delay });
  return { ...rest, retries, soonestMs: Math.min(soonestMs, rest.soonestMs), isStopped: false };
}

/** Returns the number of retries that are computed one by one: all of a list, whose delays follow no rule. */
function stepsOf({ backoff, delays }: PolicySettings, { allowedRetries, limit }: WalkOptions): number {
  const listed = [backoff, ...delays.map((entry) => entry.backoff)].map((each) =>
    each.type === 'list' ? each.delaysMs.length + 1 : 0,
  );
  return Math.min(allowedRetries, Math.max(limit, MIN_STEPS, ...listed));
}

interface Position extends WalkOptions {
  readonly startsAfter: DurationRange;
  readonly delay: DurationRange;
}

/** Computes the remaining retries together: their delays are equal, or still grow or shrink. */
function walkTheRest(policy: PolicySettings, position: Position): Omit<Walk, 'retries' | 'isStopped'> {
  const { attempt, delay, allowedRetries, startsAfter } = position;
  const { totalTimeoutMs } = policy;
  const walked = stepsOf(policy, position);
  if (walked === allowedRetries) return { maxRetries: allowedRetries, startsAfter, soonestMs: Infinity };

  const step = add(attempt, lateDelay(policy, delay, position.error));
  // Infinity if the shortest step takes no time: every retry fits.
  const fitting = Math.ceil((totalTimeoutMs - startsAfter.minMs) / step.minMs) - 1;
  const left = Math.min(allowedRetries - walked, fitting);
  return {
    maxRetries: walked + left,
    startsAfter: cutAt(add(startsAfter, times(step, left)), totalTimeoutMs),
    // It can end earlier only if draws differ in length.
    soonestMs:
      totalTimeoutMs < Infinity && step.minMs < step.maxMs ? startsAfter.minMs + attempt.minMs : Infinity,
  };
}

/** Returns the range of all later delays: down to the last one's lowest, and up to Infinity if they still grow. */
function lateDelay(policy: PolicySettings, delay: DurationRange, error: unknown): DurationRange {
  const [lowest, highest] = boundsOf(policy, Number.MAX_SAFE_INTEGER, error);
  return {
    minMs: Math.min(delay.minMs, lowest),
    meanMs: delay.meanMs,
    maxMs: highest > delay.maxMs ? Infinity : delay.maxMs,
  };
}

/** Returns `undefined` when a custom strategy ends the retrying. */
function delaySpan(
  policy: PolicySettings,
  retry: number,
  facts: Omit<DelayContext, 'random'>,
): DurationRange | undefined {
  const meanMs = meanDelay(policy, retry, facts);
  if (meanMs === undefined) return undefined;
  const [minMs, maxMs] = boundsOf(policy, retry, facts.error);
  return { minMs, meanMs, maxMs };
}

import { delayBounds } from '../delay/delay-bounds.ts';
import type { Policy } from '../policy/policy.ts';
import { meanDelay } from './mean-delay.ts';
import type { RetryPreview } from './preview.ts';
import type { Span } from './span.ts';
import { add, cutAt, NOTHING, times } from './span.ts';

/** What a walk is to know besides the policy. */
export interface WalkOptions {
  readonly attempt: Span;
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
  readonly startsAfter: Span;
  /** The earliest that a deadline can end it before its last retry; `Infinity` when it cannot. */
  readonly soonestMs: number;
}

/** So many retries are gone through one by one; those after them are taken together. */
const STEPS = 1_000;

/** Goes through the retries of a policy as if every attempt failed. */
export function walk(policy: Policy, options: WalkOptions): Walk {
  const { attempt, most, limit } = options;
  const { deadlineMs } = policy;
  const retries: RetryPreview[] = [];
  let startsAfter = NOTHING;
  let soonestMs = Infinity;
  let delay = NOTHING;
  for (let retry = 1; retry <= Math.min(most, Math.max(limit, STEPS)); retry += 1) {
    delay = delaySpan(policy, retry, delay.meanMs);
    const next = add(add(startsAfter, attempt), delay);
    // A slow draw alone reaches the deadline: then the attempt before was the last one.
    if (next.maxMs >= deadlineMs) soonestMs = Math.min(soonestMs, startsAfter.minMs + attempt.minMs);
    // Even the quickest way there is too late: decide() refuses to start at the deadline or after it.
    if (next.minMs >= deadlineMs) return { retries, maxRetries: retry - 1, startsAfter, soonestMs };
    startsAfter = cutAt(next, deadlineMs);
    if (retry <= limit) retries.push({ retry, delay, startsAfter });
  }
  const rest = walkTheRest(policy, { ...options, startsAfter, delay });
  return { ...rest, retries, soonestMs: Math.min(soonestMs, rest.soonestMs) };
}

interface Position extends WalkOptions {
  readonly startsAfter: Span;
  readonly delay: Span;
}

/** The retries after those that were gone through: their waits are the same, or still grow. */
function walkTheRest(policy: Policy, position: Position): Omit<Walk, 'retries'> {
  const { attempt, delay, most, limit, startsAfter } = position;
  const { deadlineMs } = policy;
  const walked = Math.min(most, Math.max(limit, STEPS));
  if (walked === most) return { maxRetries: most, startsAfter, soonestMs: Infinity };

  const [, highest] = delayBounds(policy, Number.MAX_SAFE_INTEGER);
  const step = add(attempt, { ...delay, maxMs: highest > delay.maxMs ? Infinity : delay.maxMs });
  const fitting = step.minMs > 0 ? Math.ceil((deadlineMs - startsAfter.minMs) / step.minMs) - 1 : Infinity;
  const left = Math.min(most - walked, fitting);
  return {
    maxRetries: walked + left,
    startsAfter: cutAt(add(startsAfter, times(step, left)), deadlineMs),
    // Only luck can end it sooner than its quickest way goes.
    soonestMs:
      deadlineMs < Infinity && step.minMs < step.maxMs ? startsAfter.minMs + attempt.minMs : Infinity,
  };
}

function delaySpan(policy: Policy, retry: number, previousMeanMs: number): Span {
  const [minMs, maxMs] = delayBounds(policy, retry);
  return { minMs, meanMs: meanDelay(policy, retry, retry === 1 ? undefined : previousMeanMs), maxMs };
}

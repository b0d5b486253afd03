import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkRetry } from '../policy/settings.ts';
import { growDelay } from './backoff.ts';
import { capBeforeJitter, clampDelay, decorrelatedRange, spreadOf } from './compute-delay.ts';
import { backoffRetry, delaysAt } from './delays-at.ts';
import type { Range } from './jitter.ts';

/**
 * Returns the exact range of {@link computeDelay} before retry `retry` (counted from 1).
 *
 * Of a policy with `delays`, it is the range after `error`; without one, that of the policy's own backoff. A decorrelated delay depends on the previous one: the range covers all sequences of delays that the policy itself can
 * draw, not a delay that a server made longer, or that followed an error of another class. A custom strategy is not called: the range covers any delay that it
 * may answer; for `'stop'` there is none.
 *
 * @returns `[minMs, maxMs]` in milliseconds, `0 ≤ minMs ≤ maxMs < Infinity`; every drawn delay is within it
 * @throws {InvalidOptionsError} when `policy` was not made by `definePolicy`, or `retry` is not a number
 */
export function delayBounds(
  policy: Policy,
  retry: number,
  error?: unknown,
): readonly [minMs: number, maxMs: number] {
  return boundsOf(checkRetry(policy, retry, 'delayBounds'), retry, error);
}

/** Returns the range as `delayBounds` does, from settings that have been checked. */
export function boundsOf(
  settings: PolicySettings,
  retry: number,
  error?: unknown,
): readonly [minMs: number, maxMs: number] {
  const counted = backoffRetry(settings, retry);
  if (counted === 0) return [clampDelay(settings, 0), clampDelay(settings, 0)];
  const policy = delaysAt(settings, counted, error);
  const [lowest, highest] = amountsOf(policy, counted);
  const [low] = spreadOf(policy, lowest);
  const [, high] = spreadOf(policy, highest);
  return [clampDelay(policy, low), clampDelay(policy, high)];
}

/** Returns the least and the greatest amount that jitter can start from. */
function amountsOf(policy: PolicySettings, retry: number): Range {
  const { backoff } = policy;
  switch (backoff.type) {
    case 'custom':
      return [capBeforeJitter(policy, 0), capBeforeJitter(policy, Number.MAX_VALUE)];
    case 'decorrelated':
      return decorrelatedAmounts(policy, backoff.baseMs, retry);
    case 'none':
    case 'constant':
    case 'linear':
    case 'exponential':
    case 'polynomial':
    case 'fibonacci':
    case 'list': {
      const amount = capBeforeJitter(policy, growDelay(backoff, retry));
      return [amount, amount];
    }
  }
}

/** Returns the range that decorrelated backoff draws from if every previous delay was the highest possible. */
function decorrelatedAmounts(policy: PolicySettings, baseMs: number, retry: number): Range {
  let range = decorrelatedRange(policy, baseMs);
  for (let count = 1; count < retry; count += 1) {
    const [, highest] = spreadOf(delaysAt(policy, count, undefined), range[1]);
    const next = decorrelatedRange(policy, baseMs, clampDelay(policy, highest));
    // Each step at least triples the range until a limit stops it: at most about 650 steps.
    if (next[1] === range[1]) break;
    range = next;
  }
  return range;
}

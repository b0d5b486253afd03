import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkRetry } from '../policy/settings.ts';
import { growDelay } from './backoff.ts';
import { capBeforeJitter, clampDelay, countedRetry, decorrelatedRange, spreadOf } from './compute-delay.ts';
import type { Range } from './jitter.ts';

/**
 * Returns the exact range of {@link computeDelay} before retry `retry` (counted from 1).
 *
 * A decorrelated delay depends on the previous one: the range covers all sequences of delays that the policy itself can
 * draw, not a delay that a server made longer. A custom strategy is not called: the range covers any delay that it
 * may answer; for `'stop'` there is none.
 *
 * @returns `[minMs, maxMs]` in milliseconds, `0 ≤ minMs ≤ maxMs < Infinity`; every drawn delay is within it
 * @throws {InvalidOptionsError} when `policy` was not made by `definePolicy`, or `retry` is not a number
 */
export function delayBounds(policy: Policy, retry: number): readonly [minMs: number, maxMs: number] {
  return boundsOf(checkRetry(policy, retry, 'delayBounds'), retry);
}

/** Returns the range as `delayBounds` does, from settings that have been checked. */
export function boundsOf(settings: PolicySettings, retry: number): readonly [minMs: number, maxMs: number] {
  const [lowest, highest] = amountsOf(settings, countedRetry(retry));
  const [low] = spreadOf(settings, lowest);
  const [, high] = spreadOf(settings, highest);
  return [clampDelay(settings, low), clampDelay(settings, high)];
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
    const [, highest] = spreadOf(policy, range[1]);
    const next = decorrelatedRange(policy, baseMs, clampDelay(policy, highest));
    // Each step at least triples the range until a limit stops it: at most about 650 steps.
    if (next[1] === range[1]) break;
    range = next;
  }
  return range;
}

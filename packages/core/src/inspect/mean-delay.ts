import { askStrategy, growDelay } from '../delay/backoff.ts';
import { capBeforeJitter, clampDelay, decorrelatedRange, spreadOf } from '../delay/compute-delay.ts';
import { backoffRetry, delaysAt } from '../delay/delays-at.ts';
import type { Range } from '../delay/jitter.ts';
import type { PolicySettings } from '../policy/policy.ts';
import type { DelayContext } from '../policy/strategy.ts';

/**
 * Returns the expected delay before a retry, in milliseconds.
 *
 * Exact for uniform jitter, also if a cap after it cuts off part of the range; delays in whole units are treated as real
 * numbers. Decorrelated backoff is computed from the mean of the previous delay; a custom strategy is called once, with
 * these facts and a `random` that returns 0.5.
 *
 * @returns `undefined` when a custom strategy ends the retrying
 */
export function meanDelay(
  settings: PolicySettings,
  retry: number,
  facts: Omit<DelayContext, 'random'>,
): number | undefined {
  const counted = backoffRetry(settings, retry);
  if (counted === 0) return clampDelay(settings, 0);
  const policy = delaysAt(settings, counted, facts.error);
  const amount = meanAmount(policy, counted, facts);
  if (amount === undefined) return undefined;
  const unitMs = policy.granularityMs > 0 ? policy.granularityMs : 1;
  const [low, high] = spreadOf(policy, amount);
  const limits: Range = [clampDelay(policy, 0), clampDelay(policy, Number.MAX_VALUE)];
  // With an infinite end of the range, every share would be NaN.
  return meanWithin(
    [Math.min(low * unitMs, Number.MAX_VALUE), Math.min(high * unitMs, Number.MAX_VALUE)],
    limits,
  );
}

function meanAmount(
  policy: PolicySettings,
  retry: number,
  facts: Omit<DelayContext, 'random'>,
): number | undefined {
  const { backoff } = policy;
  if (backoff.type === 'decorrelated') {
    const previousMs = policy.immediateFirst && retry === 1 ? undefined : facts.previousDelayMs;
    const [low, high] = decorrelatedRange(policy, backoff.baseMs, previousMs);
    return low + (high - low) / 2;
  }
  if (backoff.type !== 'custom') return capBeforeJitter(policy, growDelay(backoff, retry));
  try {
    const answerMs = askStrategy(backoff, retry, { ...facts, random: () => 0.5 });
    return answerMs === undefined ? undefined : capBeforeJitter(policy, answerMs);
  } catch {
    return capBeforeJitter(policy, backoff.baseMs);
  }
}

/** Returns the mean of a number that is drawn uniformly from a range and then clamped to limits. */
function meanWithin([low, high]: Range, [least, most]: Range): number {
  if (high <= least) return least;
  if (low >= most) return most;

  const from = Math.max(low, least);
  const to = Math.min(high, most);
  const middle = from + (to - from) / 2;
  if (from === low && to === high) return middle;
  // Shares of the range instead of milliseconds: sums near the largest double stay finite.
  const shareBelow = (from - low) / (high - low);
  const shareAbove = (high - to) / (high - low);
  const shareWithin = Math.max(1 - shareBelow - shareAbove, 0);
  const mean = least * shareBelow + middle * shareWithin + most * shareAbove;
  // The sum of the three products may round past the ends.
  return Math.min(Math.max(mean, from), to);
}

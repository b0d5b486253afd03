import { growDelay } from '../delay/backoff.ts';
import { capBeforeJitter, clampDelay, scaleOf } from '../delay/compute-delay.ts';
import { jitterRange } from '../delay/jitter.ts';
import type { Policy } from '../policy/policy.ts';

/**
 * The expected delay before a retry, in milliseconds.
 *
 * Exact for uniform jitter, also where a limit cuts off part of the range; whole units are taken for real
 * numbers there. Decorrelated backoff is taken at
 * the mean of the delay before it; a custom strategy is asked once, in the middle of its luck.
 */
export function meanDelay(policy: Policy, retry: number, previousDelayMs: number | undefined): number {
  const grown = growInTheMiddle(policy, retry, previousDelayMs);
  const unitMs = policy.granularityMs > 0 ? policy.granularityMs : 1;
  const amount = capBeforeJitter(policy, grown);
  const [low, high] = jitterRange(policy.jitter, amount, scaleOf(policy));
  const lowest = clampDelay(policy, 0);
  const highest = clampDelay(policy, Number.MAX_VALUE);
  // In a range that ends beyond the largest number every share would be NaN.
  const [from, to] = [Math.min(low * unitMs, Number.MAX_VALUE), Math.min(high * unitMs, Number.MAX_VALUE)];
  return meanWithin([from, to], [lowest, highest]);
}

function growInTheMiddle({ backoff }: Policy, retry: number, previousDelayMs: number | undefined): number {
  try {
    return growDelay(backoff, retry, { random: () => 0.5, previousDelayMs });
  } catch {
    return 'baseMs' in backoff ? backoff.baseMs : 0;
  }
}

/** Mean of a number drawn evenly from a range and then held within limits. */
function meanWithin(
  [low, high]: readonly [number, number],
  [least, most]: readonly [number, number],
): number {
  if (high <= least) return least;
  if (low >= most) return most;
  if (high === low) return low;

  const from = Math.max(low, least);
  const to = Math.min(high, most);
  // In shares of the range rather than in milliseconds: the sums stay finite near the largest number.
  const shareBelow = (from - low) / (high - low);
  const shareAbove = (high - to) / (high - low);
  const shareWithin = Math.max(1 - shareBelow - shareAbove, 0);
  return least * shareBelow + (from / 2 + to / 2) * shareWithin + most * shareAbove;
}

import type { Policy } from '../policy/policy.ts';
import { decorrelatedCeiling, growDelay } from './backoff.ts';
import { capBeforeJitter, clampDelay, countedRetry, scaleOf } from './compute-delay.ts';
import { jitterRange } from './jitter.ts';

/**
 * The exact range that {@link computeDelay} draws from before retry `retry`, both ends in milliseconds.
 *
 * A decorrelated delay depends on the one before; the range covers every history
 * of delays that the policy drew by itself, not one that a server made longer. A custom strategy is not
 * asked: whatever it answers ends up in the range given.
 *
 * @returns `[minMs, maxMs]`, `0 ≤ minMs ≤ maxMs < Infinity`; every drawn delay lies in it
 */
export function delayBounds(policy: Policy, retry: number): readonly [minMs: number, maxMs: number] {
  const { backoff } = policy;
  const count = countedRetry(retry);
  if (backoff.type === 'custom') return spreadOf(policy, 0, Number.MAX_VALUE);
  if (backoff.type === 'decorrelated') {
    return spreadOf(policy, backoff.baseMs, highestDecorrelated(policy, backoff.baseMs, count));
  }
  const grown = growDelay(backoff, count, { random: noRandom });
  return spreadOf(policy, grown, grown);
}

/** Lowest and highest delay when the backoff has grown to between `lowest` and `highest`. */
function spreadOf(policy: Policy, lowest: number, highest: number): readonly [number, number] {
  const scale = scaleOf(policy);
  const [low] = jitterRange(policy.jitter, capBeforeJitter(policy, lowest), scale);
  const [, high] = jitterRange(policy.jitter, capBeforeJitter(policy, highest), scale);
  return [clampDelay(policy, low), clampDelay(policy, high)];
}

/** What decorrelated backoff can have grown to when every delay before drew its highest. */
function highestDecorrelated(policy: Policy, baseMs: number, retry: number): number {
  let highest = decorrelatedCeiling(baseMs, baseMs);
  for (let count = 1; count < retry; count += 1) {
    const [, previous] = spreadOf(policy, highest, highest);
    const next = decorrelatedCeiling(baseMs, previous);
    // Each step at least triples until a limit holds it, so this ends after some 650 steps.
    if (next === highest) break;
    highest = next;
  }
  return highest;
}

function noRandom(): number {
  return 0;
}

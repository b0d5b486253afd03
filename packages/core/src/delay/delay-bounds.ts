import type { Policy, PolicySettings } from '../policy/policy.ts';
import { checkRetry } from '../policy/settings.ts';
import { growDelay } from './backoff.ts';
import { capBeforeJitter, clampDelay, countedRetry, decorrelatedRange, spreadOf } from './compute-delay.ts';
import type { Range } from './jitter.ts';

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
  return boundsOf(checkRetry(policy, retry, 'delayBounds'), retry);
}

/** The same for settings that were checked before. */
export function boundsOf(settings: PolicySettings, retry: number): readonly [minMs: number, maxMs: number] {
  const [lowest, highest] = amountsOf(settings, countedRetry(retry));
  const [low] = spreadOf(settings, lowest);
  const [, high] = spreadOf(settings, highest);
  return [clampDelay(settings, low), clampDelay(settings, high)];
}

/** The least and the most that jitter can start from. */
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
      const amount = capBeforeJitter(policy, growDelay(backoff, retry, { random: noRandom }));
      return [amount, amount];
    }
  }
}

/** What decorrelated backoff draws from when every delay before drew its highest. */
function decorrelatedAmounts(policy: PolicySettings, baseMs: number, retry: number): Range {
  let range = decorrelatedRange(policy, baseMs);
  for (let count = 1; count < retry; count += 1) {
    const [, highest] = spreadOf(policy, range[1]);
    const next = decorrelatedRange(policy, baseMs, clampDelay(policy, highest));
    // Each step at least triples until a limit holds it, so this ends after some 650 steps.
    if (next[1] === range[1]) break;
    range = next;
  }
  return range;
}

function noRandom(): number {
  return 0;
}

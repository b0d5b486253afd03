import type { DelayContext, Policy } from '../policy/policy.ts';
import { growDelay } from './backoff.ts';
import type { Scale } from './jitter.ts';
import { drawJitter, roomForJitter } from './jitter.ts';

/**
 * Delay before retry `retry`: backoff → cap → jitter → clamp.
 *
 * Total: any number counts as a retry (rounded down; below 1 and NaN as 1), the result is finite and never NaN.
 * It throws only what a custom strategy throws.
 *
 * @param retry - 1 for the wait after the first failed attempt; up to `Number.MAX_SAFE_INTEGER`
 * @returns milliseconds, `minDelayMs ≤ delay ≤ maxDelayMs`, and within `delayBounds(policy, retry)`;
 *   over `maxDelayMs` only with `capAt: 'before-jitter-only'`
 * @see docs/policies.md
 */
export function computeDelay(policy: Policy, retry: number, context: DelayContext): number {
  const grown = growDelay(policy.backoff, countedRetry(retry), context);
  const amount = capBeforeJitter(policy, grown);
  if (policy.jitter === 'none') return clampDelay(policy, amount);

  return clampDelay(policy, drawJitter(policy.jitter, amount, context.random(), scaleOf(policy)));
}

/** Whether the policy's delays are whole units of its granularity. */
export function scaleOf({ granularityMs }: Policy): Scale {
  return granularityMs > 0 ? 'whole' : 'real';
}

/** A whole number from 1 to `Number.MAX_SAFE_INTEGER`, whatever was given. */
export function countedRetry(retry: number): number {
  return retry >= 1 ? Math.min(Math.floor(retry), Number.MAX_SAFE_INTEGER) : 1;
}

/**
 * The amount that jitter starts from: in units of the policy's granularity where it has one, cut to the
 * cap unless the cap comes after the jitter.
 */
export function capBeforeJitter(policy: Policy, grownMs: number): number {
  const { capAt, granularityMs, jitter } = policy;
  const capMs = capAt === 'after-jitter' ? Number.MAX_VALUE : Math.min(policy.maxDelayMs, Number.MAX_VALUE);
  const amountMs = Math.min(grownMs, capMs);
  const scale = scaleOf(policy);
  const amount = scale === 'whole' ? Math.floor(amountMs / granularityMs) : amountMs;
  if (capAt !== 'before-jitter') return amount;

  const cap = scale === 'whole' ? Math.floor(capMs / granularityMs) : capMs;
  return Math.min(amount, roomForJitter(jitter, cap, scale));
}

/** Turns units back into milliseconds and holds them within the policy's lowest and highest delay. */
export function clampDelay(policy: Policy, amount: number): number {
  const { capAt, granularityMs, minDelayMs, maxDelayMs } = policy;
  const delayMs = granularityMs > 0 ? amount * granularityMs : amount;
  const highest = Math.min(capAt === 'before-jitter-only' ? Infinity : maxDelayMs, Number.MAX_VALUE);
  // Near the largest number the product can round up past the limit.
  if (delayMs > highest) return Math.min(wholeMs(highest, granularityMs, Math.floor), highest);
  // Not `delayMs < minDelayMs`: a broken source of randomness gives NaN, which must not come out.
  return delayMs >= minDelayMs ? delayMs : wholeMs(minDelayMs, granularityMs, Math.ceil);
}

function wholeMs(limitMs: number, granularityMs: number, round: (units: number) => number): number {
  return granularityMs > 0 ? round(limitMs / granularityMs) * granularityMs : limitMs;
}

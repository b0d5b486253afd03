import type { Backoff, DelayContext } from '../policy/policy.ts';

/** 2 ** 30 is the last power that a shift of 32 bits with a sign can hold. */
const LAST_SHIFT = 30;

/** AWS's decorrelated jitter draws between the base and this many times the previous delay. */
const DECORRELATED_GROWTH = 3;

/** A backoff that the number of the retry, or a strategy, says all about. */
export type CountedBackoff = Exclude<Backoff, { readonly type: 'decorrelated' }>;

/**
 * How far the backoff has grown before retry `retry` (from 1): milliseconds without jitter, limit or
 * rounding, `0 ≤ ms ≤ Infinity`. Draws only where a custom strategy does.
 *
 * @see docs/sources.md#backoff
 */
export function growDelay(backoff: CountedBackoff, retry: number, context: DelayContext): number {
  switch (backoff.type) {
    case 'none':
      return 0;
    case 'constant':
      return backoff.baseMs;
    case 'linear':
      return backoff.baseMs + backoff.incrementMs * (retry - 1);
    case 'exponential':
      // 0 × Infinity is NaN: a base of 0 stays 0 however large the power.
      return backoff.baseMs === 0 ? 0 : backoff.baseMs * power(backoff.factor, retry - 1);
    case 'fibonacci':
      return backoff.baseMs === 0 ? 0 : backoff.baseMs * fibonacci(retry);
    case 'list':
      return backoff.delaysMs[Math.min(retry, backoff.delaysMs.length) - 1] ?? 0;
    case 'custom': {
      const delayMs = backoff.next(retry, { ...context, baseMs: backoff.baseMs });
      return Number.isFinite(delayMs) ? Math.max(delayMs, 0) : backoff.baseMs;
    }
  }
}

/** `factor ** exponent`; V8 takes longer for that than for the rest of a delay, and 2 is what most people write. */
function power(factor: number, exponent: number): number {
  return factor === 2 && exponent <= LAST_SHIFT ? 1 << exponent : factor ** exponent;
}

/** Highest value that decorrelated backoff can draw after a delay of `previousDelayMs`. */
export function decorrelatedCeiling(baseMs: number, previousDelayMs: number): number {
  // Also refuses NaN, and keeps the range finite.
  return Math.min(Math.max(previousDelayMs * DECORRELATED_GROWTH || 0, baseMs), Number.MAX_VALUE);
}

/** 1, 1, 2, 3, 5, … for index 1, 2, 3, …; `Infinity` where a double ends. */
function fibonacci(index: number): number {
  let current = 1;
  let next = 1;
  for (let step = 1; step < index && current < Infinity; step += 1) [current, next] = [next, current + next];
  return current;
}

import type { Jitter } from '../policy/policy.ts';

/**
 * What jitter draws: real numbers (milliseconds), or integers (units of the policy's granularity), for which both ends of
 * a range can be drawn (Celery, Tasker).
 */
export type Scale = 'real' | 'whole';

/** The lowest and the highest amount, both included. */
export type Range = readonly [low: number, high: number];

/** How far a jitter reaches down and up from the amount, as shares of it. */
type Reach = readonly [down: number, up: number];

const REACHES: Readonly<Record<Jitter & string, Reach>> = {
  none: [0, 0],
  full: [1, 0],
  equal: [0.5, 0],
  bounded: [0, 1],
};

/** Draws a number from a range, uniformly. @param random - in [0, 1) */
export function drawBetween([low, high]: Range, random: number, scale: Scale): number {
  const step = scale === 'whole' ? Math.floor(random * (high - low + 1)) : random * (high - low);
  // The sum, or the product beyond 2^52, can round up past `high`.
  return Math.min(low + step, high);
}

/**
 * Spreads an amount; the result is within {@link jitterRange}.
 *
 * @param random - in [0, 1)
 * @see docs/sources.md#jitter
 */
export function drawJitter(jitter: Jitter, amount: number, random: number, scale: Scale): number {
  const [low, high] = jitterRange(jitter, amount, scale);
  if (typeof jitter !== 'object' || !('proportional' in jitter)) {
    return drawBetween([low, high], random, scale);
  }
  // As in Tasker, sign and size are drawn: the lower half of [0, 1) subtracts, the upper half adds.
  return random < 0.5
    ? amount - drawBetween([0, amount - low], random * 2, scale)
    : drawBetween([amount, high], random * 2 - 1, scale);
}

/** Returns the lowest and the highest result of {@link drawJitter} for this amount, both included and finite. */
export function jitterRange(jitter: Jitter, amount: number, scale: Scale): Range {
  if (typeof jitter === 'object' && 'plusMinusMs' in jitter) {
    return [Math.max(amount - jitter.plusMinusMs, 0), finite(amount + jitter.plusMinusMs)];
  }
  const [down, up] = reachOf(jitter);
  return [amount - share(amount, down, scale), finite(amount + share(amount, up, scale))];
}

/** Returns the largest amount whose jitter does not exceed `cap`, so that a capped delay is still spread. */
export function roomForJitter(jitter: Jitter, cap: number, scale: Scale): number {
  if (typeof jitter === 'object' && 'plusMinusMs' in jitter) return Math.max(cap - jitter.plusMinusMs, 0);
  const [, up] = reachOf(jitter);
  return share(cap, 1 / (1 + up), scale);
}

function reachOf(jitter: Exclude<Jitter, { readonly plusMinusMs: number }>): Reach {
  if (typeof jitter === 'string') return REACHES[jitter];
  return 'down' in jitter ? [jitter.down, 0] : [jitter.proportional, jitter.proportional];
}

function share(amount: number, ratio: number, scale: Scale): number {
  return scale === 'whole' ? Math.floor(amount * ratio) : amount * ratio;
}

function finite(amount: number): number {
  return Math.min(amount, Number.MAX_VALUE);
}

/** Returns the milliseconds in units, rounded up; at least 1 unless `ms` is 0. */
export function wholeUnits(ms: number, unitMs: number): number {
  return ms > 0 ? Math.max(Math.ceil(ms / unitMs), 1) : 0;
}

import type { Jitter, SharesOfDelay } from '../policy/delays.ts';

/**
 * What jitter draws: real numbers (milliseconds), or integers (units of the policy's granularity), for which both ends of
 * a range can be drawn (Celery, Tasker).
 */
export type Scale = 'real' | 'whole';

/** The lowest and the highest amount, both included. */
export type Range = readonly [low: number, high: number];

/** How far a jitter reaches from the amount, as a part of it. */
type Shares = readonly [down: number, up: number];

const SHARES: Readonly<Record<Jitter & string, Shares>> = {
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
  const times = timesOf(jitter);
  if (times !== undefined) return [Math.max(amount - times[0], 0), finite(amount + times[1])];
  const [down, up] = sharesOf(jitter);
  return [amount - share(amount, down, scale), finite(amount + share(amount, up, scale))];
}

/** Returns the largest amount whose jitter does not exceed `cap`, so that a capped delay is still spread. */
export function roomForJitter(jitter: Jitter, cap: number, scale: Scale): number {
  const times = timesOf(jitter);
  if (times !== undefined) return Math.max(cap - times[1], 0);
  const [, up] = sharesOf(jitter);
  return share(cap, 1 / (1 + up), scale);
}

/** Returns how far a jitter by lengths of time reaches down and up; `undefined` for one by shares. Its `incrementMs` is added before. */
export function timesOf(jitter: Jitter): readonly [downMs: number, upMs: number] | undefined {
  if (typeof jitter === 'string' || !('plusMs' in jitter || 'minusMs' in jitter)) return undefined;
  return [jitter.minusMs ?? 0, jitter.plusMs ?? 0];
}

function sharesOf(jitter: Jitter): Shares {
  if (typeof jitter === 'string') return SHARES[jitter];
  if ('proportional' in jitter) return [jitter.proportional, jitter.proportional];
  const { down = 0, up = 0 } = jitter as SharesOfDelay; // timesOf has found the others
  return [down, up];
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

import type { Jitter } from '../policy/policy.ts';

/**
 * What jitter draws: real numbers (milliseconds), or whole units of the policy's granularity, where both ends of
 * a range can be drawn (Celery, Tasker).
 */
export type Scale = 'real' | 'whole';

/**
 * Spreads `amount` by one draw of `random` in [0, 1). The result lies within {@link jitterRange}.
 *
 * @see docs/sources.md#jitter
 */
export function drawJitter(jitter: Jitter, amount: number, random: number, scale: Scale): number {
  switch (jitter) {
    case 'none':
      return amount;
    case 'full':
      return spread(amount, random, scale);
    case 'equal':
      return amount - half(amount, scale) + spread(half(amount, scale), random, scale);
    case 'bounded':
      return amount + spread(amount, random, scale);
    default: {
      // The lower half of [0, 1) goes down and the upper half up, as Tasker's sign and size do.
      const reach = share(amount, jitter.proportional, scale);
      const isDown = random < 0.5;
      const distance = spread(reach, isDown ? random * 2 : random * 2 - 1, scale);
      return isDown ? amount - distance : amount + distance;
    }
  }
}

/** Lowest and highest result of {@link drawJitter} for this amount, both included. */
export function jitterRange(jitter: Jitter, amount: number, scale: Scale): readonly [number, number] {
  switch (jitter) {
    case 'none':
      return [amount, amount];
    case 'full':
      return [0, amount];
    case 'equal':
      return [amount - half(amount, scale), amount];
    case 'bounded':
      return [amount, amount * 2];
    default: {
      const reach = share(amount, jitter.proportional, scale);
      return [amount - reach, amount + reach];
    }
  }
}

/** The largest amount whose jitter does not reach over `cap`, so that a capped delay still spreads. */
export function roomForJitter(jitter: Jitter, cap: number, scale: Scale): number {
  if (jitter === 'none' || jitter === 'full' || jitter === 'equal') return cap;
  return share(cap, 1 / (1 + (jitter === 'bounded' ? 1 : jitter.proportional)), scale);
}

function spread(reach: number, random: number, scale: Scale): number {
  // The product can round up to reach + 1 when reach is beyond 2^52.
  return scale === 'whole' ? Math.min(Math.floor(random * (reach + 1)), reach) : random * reach;
}

function half(amount: number, scale: Scale): number {
  return share(amount, 0.5, scale);
}

function share(amount: number, ratio: number, scale: Scale): number {
  return scale === 'whole' ? Math.floor(amount * ratio) : amount * ratio;
}

import type { Jitter } from '../policy/policy.ts';

/**
 * What jitter draws: real numbers (milliseconds), or whole units of the policy's granularity, where both ends of
 * a range can be drawn (Celery, Tasker).
 */
export type Scale = 'real' | 'whole';

/** How far a jitter reaches down and up from the amount, as shares of it. */
interface Reach {
  readonly down: number;
  readonly up: number;
}

const REACHES: Readonly<Record<Jitter & string, Reach>> = {
  none: { down: 0, up: 0 },
  full: { down: 1, up: 0 },
  equal: { down: 0.5, up: 0 },
  bounded: { down: 0, up: 1 },
};

/**
 * Spreads `amount` by one draw of `random` in [0, 1). The result lies within {@link jitterRange}.
 *
 * @see docs/sources.md#jitter
 */
export function drawJitter(jitter: Jitter, amount: number, random: number, scale: Scale): number {
  const { down, up } = reachOf(jitter);
  if (down === up) return amount + drawAround(share(amount, up, scale), random, scale);
  return amount - share(amount, down, scale) + spread(share(amount, down + up, scale), random, scale);
}

/** Lowest and highest result of {@link drawJitter} for this amount, both included. */
export function jitterRange(jitter: Jitter, amount: number, scale: Scale): readonly [number, number] {
  const { down, up } = reachOf(jitter);
  return [amount - share(amount, down, scale), amount + share(amount, up, scale)];
}

/** The largest amount whose jitter does not reach over `cap`, so that a capped delay still spreads. */
export function roomForJitter(jitter: Jitter, cap: number, scale: Scale): number {
  return share(cap, 1 / (1 + reachOf(jitter).up), scale);
}

function reachOf(jitter: Jitter): Reach {
  return typeof jitter === 'string'
    ? REACHES[jitter]
    : { down: jitter.proportional, up: jitter.proportional };
}

/** The lower half of [0, 1) goes down and the upper half up, as Tasker's sign and size do. */
function drawAround(reach: number, random: number, scale: Scale): number {
  return random < 0.5 ? -spread(reach, random * 2, scale) : spread(reach, random * 2 - 1, scale);
}

function spread(reach: number, random: number, scale: Scale): number {
  // The product can round up to reach + 1 when reach is beyond 2^52.
  return scale === 'whole' ? Math.min(Math.floor(random * (reach + 1)), reach) : random * reach;
}

function share(amount: number, ratio: number, scale: Scale): number {
  return scale === 'whole' ? Math.floor(amount * ratio) : amount * ratio;
}

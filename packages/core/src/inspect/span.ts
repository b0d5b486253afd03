/** The lowest, the expected and the highest duration, in milliseconds. */
export interface DurationRange {
  /** No draw is lower. */
  readonly minMs: number;
  /** The expected value. */
  readonly meanMs: number;
  /** No draw is higher; may be `Infinity`. */
  readonly maxMs: number;
}

/** The range from 0 to 0. */
export const NOTHING: DurationRange = { minMs: 0, meanMs: 0, maxMs: 0 };

/** Returns the range of one duration. */
export function exactly(ms: number): DurationRange {
  return { minMs: ms, meanMs: ms, maxMs: ms };
}

/** Returns the sum of two ranges. */
export function add(one: DurationRange, other: DurationRange): DurationRange {
  return {
    minMs: sum(one.minMs, other.minMs),
    meanMs: sum(one.meanMs, other.meanMs),
    maxMs: sum(one.maxMs, other.maxMs),
  };
}

/** Adds two durations; the sum of finite ones stays finite. */
function sum(one: number, other: number): number {
  const whole = one + other;
  return one < Infinity && other < Infinity ? Math.min(whole, Number.MAX_VALUE) : whole;
}

/** Multiplies a range, `0 ≤ count ≤ Infinity`; here, 0 × Infinity is 0. */
export function times({ minMs, meanMs, maxMs }: DurationRange, count: number): DurationRange {
  const product = (ms: number): number => (ms === 0 || count === 0 ? 0 : ms * count);
  return { minMs: product(minMs), meanMs: product(meanMs), maxMs: product(maxMs) };
}

/** Returns the range with none of its durations over the limit. */
export function cutAt({ minMs, meanMs, maxMs }: DurationRange, limitMs: number): DurationRange {
  return {
    minMs: Math.min(minMs, limitMs),
    meanMs: Math.min(meanMs, limitMs),
    maxMs: Math.min(maxMs, limitMs),
  };
}

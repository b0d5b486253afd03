/** The least, the expected and the most, in milliseconds. */
export interface DurationRange {
  readonly minMs: number;
  readonly meanMs: number;
  readonly maxMs: number;
}

/** No time at all. */
export const NOTHING: DurationRange = { minMs: 0, meanMs: 0, maxMs: 0 };

/** So long, neither less nor more. */
export function exactly(ms: number): DurationRange {
  return { minMs: ms, meanMs: ms, maxMs: ms };
}

/** One after the other. */
export function add(one: DurationRange, other: DurationRange): DurationRange {
  return {
    minMs: sum(one.minMs, other.minMs),
    meanMs: sum(one.meanMs, other.meanMs),
    maxMs: sum(one.maxMs, other.maxMs),
  };
}

/** Two times that end take a time that ends, also where a double has no number for it. */
function sum(one: number, other: number): number {
  const whole = one + other;
  return one < Infinity && other < Infinity ? Math.min(whole, Number.MAX_VALUE) : whole;
}

/** So many times, `0 ≤ count ≤ Infinity`; nothing for ever is nothing, and so is for ever zero times. */
export function times({ minMs, meanMs, maxMs }: DurationRange, count: number): DurationRange {
  const product = (ms: number): number => (ms === 0 || count === 0 ? 0 : ms * count);
  return { minMs: product(minMs), meanMs: product(meanMs), maxMs: product(maxMs) };
}

/** None of it longer than the limit. */
export function cutAt({ minMs, meanMs, maxMs }: DurationRange, limitMs: number): DurationRange {
  return {
    minMs: Math.min(minMs, limitMs),
    meanMs: Math.min(meanMs, limitMs),
    maxMs: Math.min(maxMs, limitMs),
  };
}

/** How a figure varies from seed to seed: its mean, and percentiles. `Infinity` stands for what never came. */
export interface Spread {
  /** `Infinity` if the figure of any seed is. */
  readonly mean: number;
  /** 5 % of the seeds are below it. */
  readonly p5: number;
  /** The median by nearest rank: the figure of one of the seeds. */
  readonly median: number;
  /** 5 % of the seeds are above it. */
  readonly p95: number;
}

/** Returns the mean and the percentiles of a list that is not empty. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort(byValue);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return { mean, p5: at(sorted, 0.05), median: at(sorted, 0.5), p95: at(sorted, 0.95) };
}

/** Infinity - Infinity is NaN, which is no order. */
function byValue(one: number, other: number): number {
  return one === other ? 0 : one - other;
}

/** The percentile by nearest rank: always one of the values. */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)] ?? 0;
}

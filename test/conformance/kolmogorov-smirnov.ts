/**
 * Returns the largest distance between the distribution functions of two samples: 0 if they are equal, 1 if they do not overlap.
 *
 * @see Kolmogorov and Smirnov's test of two samples
 */
export function distanceOf(one: readonly number[], other: readonly number[]): number {
  const [left, right] = [[...one].sort((a, b) => a - b), [...other].sort((a, b) => a - b)];
  let [i, j, largest] = [0, 0, 0];
  while (i < left.length && j < right.length) {
    const at = Math.min(left[i] ?? 0, right[j] ?? 0);
    while (i < left.length && (left[i] ?? 0) <= at) i += 1;
    while (j < right.length && (right[j] ?? 0) <= at) j += 1;
    largest = Math.max(largest, Math.abs(i / left.length - j / right.length));
  }
  return largest;
}

/** The distance over which two samples of this size are of different distributions, but for one pair of a thousand. */
export function criticalDistance(size: number): number {
  return 1.95 * Math.sqrt(2 / size);
}

const STEPS = [1, 2, 5, 10];

/** Returns a round number that is at least the given one: 1, 2 or 5 times a power of ten, and at least 1. */
export function ceilingOf(highest: number): number {
  if (!(highest > 1)) return 1;
  if (highest > Number.MAX_VALUE / 10) return Number.MAX_VALUE;
  const power = 10 ** Math.floor(Math.log10(highest));
  const step = STEPS.find((factor) => factor * power >= highest) ?? 10;
  return step * power;
}

/** Returns where an axis from 0 has its marks. */
export function ticksOf(ceiling: number): readonly number[] {
  return [0, ceiling / 2, ceiling];
}

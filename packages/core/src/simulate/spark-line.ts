const MARKS = '▁▂▃▄▅▆▇█';

/**
 * Draws numbers as a line of marks, the highest at `top`. A number over 0 has at least the lowest mark, 0 a space.
 *
 * @param width - marks at most, an integer ≥ 1; each stands for the mean of as many numbers as it takes
 */
export function sparkLine(
  numbers: readonly number[],
  { width, top }: { width: number; top: number },
): string {
  return [...means(numbers, width)].map((mean) => markOf(mean, top)).join('');
}

/** Returns how many numbers one mark stands for. */
export function numbersPerMark(count: number, width: number): number {
  return Math.max(Math.ceil(count / width), 1);
}

function means(numbers: readonly number[], width: number): readonly number[] {
  const step = numbersPerMark(numbers.length, width);
  return Array.from({ length: Math.ceil(numbers.length / step) }, (_, mark) => {
    const part = numbers.slice(mark * step, (mark + 1) * step);
    return part.reduce((sum, number) => sum + number, 0) / part.length;
  });
}

function markOf(mean: number, top: number): string {
  if (!(mean > 0)) return ' ';
  const index = Math.ceil((Math.min(mean, top) / top) * MARKS.length) - 1;
  return MARKS.charAt(Math.min(Math.max(index, 0), MARKS.length - 1));
}

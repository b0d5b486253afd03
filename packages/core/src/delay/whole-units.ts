/** The fewest units that make at least that number of milliseconds; one where the division gives 0. */
export function wholeUnits(ms: number, unitMs: number): number {
  return ms > 0 ? Math.max(Math.ceil(ms / unitMs), 1) : 0;
}

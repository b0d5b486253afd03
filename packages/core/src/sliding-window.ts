/** Windows move in slices, as Finagle's do: events leave one a tenth of its length at a time. */
const SLICES = 10;

/** Returns the slices of an empty window. */
export function emptySlices(): readonly number[] {
  return Array.from({ length: SLICES }, () => 0);
}

/** How far a window has to move, and the instant at which its newest slice begins then. */
interface Slide {
  /** Slices to add. */
  readonly count: number;
  readonly steppedAt: number;
}

/**
 * Computes how far a window moves until `nowAt`. What happened less than nine tenths of the window ago stays in it; what
 * happened a whole window ago, or earlier, leaves it.
 *
 * @param steppedAt - when its newest slice begins; if `nowAt` is earlier, no time counts as elapsed
 */
export function slideTo(windowMs: number, steppedAt: number, nowAt: number): Slide {
  if (Number.isNaN(steppedAt)) return { count: 0, steppedAt: nowAt };
  const sliceMs = windowMs / SLICES;
  const count = Math.floor(Math.max(nowAt - steppedAt, 0) / sliceMs) || 0; // NaN moves nothing
  return { count, steppedAt: steppedAt + count * sliceMs };
}

/** Adds empty slices in front, newest first, and drops as many of the oldest. */
export function shiftSlices(slices: readonly number[], count: number): readonly number[] {
  if (count === 0) return slices;
  const fresh = Array.from({ length: Math.min(count, SLICES) }, () => 0);
  return [...fresh, ...slices].slice(0, SLICES);
}

/** Adds an amount to the newest slice. */
export function addToNewest(slices: readonly number[], amount: number): readonly number[] {
  return [(slices[0] ?? 0) + amount, ...slices.slice(1)];
}

/** Returns the sum of all slices. */
export function sumOf(slices: readonly number[]): number {
  return slices.reduce((sum, slice) => sum + slice, 0);
}

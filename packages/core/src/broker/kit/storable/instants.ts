import { MAX_INSTANT_AT } from '../../../duration.ts';

/**
 * Returns an instant or a delay that every broker can store: whole milliseconds, `0 ≤ ms ≤ MAX_INSTANT_AT`. Fractions
 * are rounded up, so that nothing is early.
 */
export function keepableMs(ms: number): number {
  return Math.min(Math.max(0, Math.ceil(ms)), MAX_INSTANT_AT);
}

/** Returns an instant that is past as every broker can store it: {@link keepableMs}, but rounded down, as the clock of record is. */
export function keepablePast(at: number): number {
  return keepableMs(Math.floor(at));
}

/** Returns whether a value is an instant that every broker can store as it is. */
export function isWholeInstant(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_INSTANT_AT;
}

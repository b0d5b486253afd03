import type { Problem } from '../../../errors.ts';
import type { Reservation } from '../../reservation.ts';
import { check, entriesOf } from './check-findings.ts';

/** The highest limit of starts, and the most starts of one reservation. */
export const MAX_STARTS = 1_000_000_000;

/** The longest window of a limit of starts: 366 days. */
export const MAX_WINDOW_MS = 31_622_400_000;

/** Checks the requests of `reserve`. @throws {InvalidOptionsError} */
export function checkReservations(requests: readonly Reservation[]): void {
  check('reserve', ({ problems, name }) => {
    for (const [index, { key, limit, windowMs, count }] of entriesOf(requests)) {
      name(() => `[${index}].key`, key);
      problems.push(
        ...rangeProblems(`[${index}].limit`, limit, MAX_STARTS),
        ...rangeProblems(`[${index}].windowMs`, windowMs, MAX_WINDOW_MS),
        ...rangeProblems(`[${index}].count`, count, MAX_STARTS),
      );
    }
  });
}

function rangeProblems(path: string, value: number, most: number): readonly Problem[] {
  if (Number.isInteger(value) && value >= 1 && value <= most) return [];
  const cure = 'Make no reservation where there is no limit.';
  return [{ path, value, message: `must be an integer from 1 to ${most}`, cure }];
}

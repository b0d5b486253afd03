import type { Reservation } from '../../reservation.ts';
import { check, findInEach } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, wholeFrom } from './field-rules.ts';

/** The highest limit of starts, and the most starts of one reservation. */
export const MAX_STARTS = 1_000_000_000;

/** The longest window of a limit of starts: 366 days. */
export const MAX_WINDOW_MS = 31_622_400_000;

/** Checks the requests of `reserve`. @throws {InvalidOptionsError} */
export function checkReservations(requests: readonly Reservation[]): void {
  check('reserve', ({ problems, name }) => {
    findInEach(requests, problems, (request, path) => {
      name(() => `${path}.key`, request.key);
      findWrongFields(request, RESERVATION, { problems, path });
    });
  });
}

const CURE = 'Make no reservation where there is no limit.';

const RESERVATION: FieldRules<Reservation> = {
  limit: wholeFrom(1, { most: MAX_STARTS, cure: CURE }),
  windowMs: wholeFrom(1, { most: MAX_WINDOW_MS, cure: CURE }),
  count: wholeFrom(1, { most: MAX_STARTS, cure: CURE }),
};

import type { Problem } from '../../../errors.ts';
import { isNumber } from '../../../fields/check-arguments.ts';
import type { Reservation, StartCorrection } from '../../reservation.ts';
import { check, findInEach } from './check-findings.ts';
import type { FieldRules } from './field-rules.ts';
import { findWrongFields, wholeFrom } from './field-rules.ts';

/** The highest limit of starts, and the most starts of one reservation. */
export const MAX_STARTS = 1_000_000_000;

/** The longest window of a limit of starts: 366 days. */
export const MAX_WINDOW_MS = 31_622_400_000;

/** Checks the requests of `reserve`. @throws {InvalidOptionsError} */
export function checkReservations(requests: readonly (Reservation | StartCorrection)[]): void {
  check('reserve', ({ problems, name }) => {
    findInEach(requests, problems, (request, path) => {
      name(() => `${path}.key`, request.key);
      if ('grantedAt' in request) findWrongFields(request, CORRECTION, { problems, path });
      else {
        findWrongFields(request, RESERVATION, { problems, path });
        findWrongLeast(request, `${path}.least`, problems);
      }
    });
  });
}

function findWrongLeast({ limit, count, least }: Reservation, path: string, problems: Problem[]): void {
  if (least === undefined) return;
  const isTooHigh = [limit, count].some((most) => isNumber(most) && least > most);
  if (Number.isInteger(least) && least >= 1 && !isTooHigh) return;
  const message = 'must be an integer from 1 to the smaller one of count and limit';
  problems.push({ path, value: least, message, cure: 'Leave it out to be granted any number.' });
}

const LIMIT_CURE = 'Make no reservation where there is no limit.';

const RESERVATION: FieldRules<Reservation> = {
  limit: wholeFrom(1, { most: MAX_STARTS, cure: LIMIT_CURE }),
  windowMs: wholeFrom(1, { most: MAX_WINDOW_MS, cure: LIMIT_CURE }),
  count: wholeFrom(1, { most: MAX_STARTS, cure: LIMIT_CURE }),
};

const CORRECTION: FieldRules<StartCorrection> = {
  grantedAt: wholeFrom(0, { cure: 'It is the grantedAt of the answer.' }),
  count: wholeFrom(-MAX_STARTS, {
    most: MAX_STARTS,
    cure: 'It is how many more starts there were than granted.',
  }),
};

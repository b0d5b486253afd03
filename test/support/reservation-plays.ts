import { deepStrictEqual } from 'node:assert';
import { isDeepStrictEqual } from 'node:util';
import type { Broker, Reservation, Reserved, StartCorrection } from '@retry/core/broker';
import type { StartCounts } from '@retry/core/broker/kit';
import { correctStarts, forgetStartsAt, reserveStarts } from '@retry/core/broker/kit';
import fc from 'fast-check';

/** One call, `stepMs` after the one before; less than 0: the clock went back. */
interface Step {
  readonly stepMs: number;
  readonly requests: readonly (Reservation | PlannedCorrection)[];
}

/** A correction of what was granted at one of the latest instants, 0 being the last one, or some ms before or after. */
interface PlannedCorrection {
  readonly key: string;
  readonly grant: number;
  readonly offMs: number;
  readonly count: number;
}

/** Calls of one broker, whose clock is set before each. */
export type ReservationPlay = readonly Step[];

/** A broker and its clock. */
interface Clocked {
  readonly broker: Broker;
  /** Sets its clock, in whole epoch milliseconds. */
  readonly setTime: (at: number) => Promise<unknown>;
}

const START_AT = 1_700_000_000_000;

const HOUR_MS = 3_600_000;

/** Random calls about a few keys, whose numbers change now and then, on a clock that mostly goes on. */
export function reservationPlays(): fc.Arbitrary<ReservationPlay> {
  const numbers = fc.constantFrom(
    { limit: 3, windowMs: 20 },
    { limit: 3, windowMs: 20 },
    { limit: 5, windowMs: 1_000 },
    { limit: 5, windowMs: 1_000 },
    { limit: 2, windowMs: 1_000 },
    { limit: 7, windowMs: 640 },
    { limit: 1_000_000_000, windowMs: HOUR_MS },
    { limit: 9, windowMs: 2_000 },
    { limit: 12, windowMs: 5_000 },
  );
  const key = fc.constantFrom('a', 'a', 'b', '{a}', 'Ä\u0001');
  const count = fc.constantFrom(1, 1, 2, 3, 9, 1_000_000_000);
  const least = fc.constantFrom(1, 1, 1, 2, 3);
  const reservation = fc.tuple(key, numbers, count, least).map(([name, some, many, few]) => {
    const asked = { key: name, ...some, count: many };
    return few === 1 ? asked : { ...asked, least: Math.min(few, many, some.limit) };
  });
  const correction = fc.record({
    key,
    grant: fc.nat({ max: 6 }),
    offMs: fc.constantFrom(0, 0, 0, -1, 1, 40),
    count: fc.constantFrom(-1_000_000_000, -3, -2, -1, 0, 1, 2, 5),
  });
  const request = fc.oneof({ weight: 3, arbitrary: reservation }, { weight: 1, arbitrary: correction });
  const stepMs = fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 3, arbitrary: fc.integer({ min: 0, max: 700 }) },
    { weight: 1, arbitrary: fc.integer({ min: -600, max: -1 }) },
    { weight: 1, arbitrary: fc.constantFrom(1_000, -1_001, 5_000, HOUR_MS, -2 * HOUR_MS) },
  );
  const requests = fc.array(request, { minLength: 1, maxLength: 4 });
  return fc.array(fc.record({ stepMs, requests }), { minLength: 1, maxLength: 40, size: 'max' });
}

/** A limit that a broker may have forgotten, which shows two calls later, when the clock is back in its time. */
export const FORGOTTEN: ReservationPlay = [
  { stepMs: 1_000, requests: [{ key: 'b', limit: 3, windowMs: 20, count: 1 }] },
  { stepMs: HOUR_MS, requests: [{ key: 'a', limit: 3, windowMs: 20, count: 1 }] },
  { stepMs: -2 * HOUR_MS, requests: [{ key: 'a', limit: 3, windowMs: 20, count: 1 }] },
  { stepMs: 0, requests: [{ key: 'b', limit: 1_000_000_000, windowMs: HOUR_MS, count: 1 }] },
];

type Known = ReadonlyMap<string, StartCounts | undefined>;

/**
 * Makes the calls, and compares each answer with that of the pure rule. A broker may have forgotten what is not used any more, which
 * shows only later, where the window of a key becomes longer or the clock goes back: each answer has to be that of some state which
 * the answers before allow. @throws {AssertionError} where none is
 */
export async function playReservations(play: ReservationPlay, { broker, setTime }: Clocked): Promise<void> {
  let possible: readonly Known[] = [new Map()];
  let now = START_AT;
  const grantedAt = [now];
  for (const { stepMs, requests: planned } of play) {
    now += stepMs;
    await setTime(now);
    const requests = planned.map((request) =>
      'grant' in request ? correctionOf(request, grantedAt) : request,
    );
    const answers = await broker.reserve(requests);
    const foreseen = possible
      .flatMap((known) => withoutForgotten(known, now))
      .map((known) => answerAll(known, requests, now));
    const same = foreseen.filter(({ reserved }) => isDeepStrictEqual(reserved, answers));
    if (same.length === 0)
      deepStrictEqual(answers, foreseen[0]?.reserved, `reserve is answered differently ${stepMs} ms later`);
    possible = distinct(same.map(({ known }) => known));
    if (answers.some(({ granted }) => granted > 0)) grantedAt.unshift(now);
  }
}

function correctionOf(
  { key, grant, offMs, count }: PlannedCorrection,
  grantedAt: readonly number[],
): StartCorrection {
  return { key, grantedAt: (grantedAt[grant] ?? START_AT) + offMs, count };
}

function distinct(states: readonly Known[]): readonly Known[] {
  return [...new Map(states.map((known) => [JSON.stringify([...known].sort()), known])).values()];
}

function answerAll(before: Known, requests: readonly (Reservation | StartCorrection)[], now: number) {
  const known = new Map(before);
  const reserved = requests.map((request): Reserved => {
    if ('grantedAt' in request) {
      known.set(request.key, correctStarts(known.get(request.key), request));
      return { granted: 0 };
    }
    const answer = reserveStarts(known.get(request.key), request, now);
    known.set(request.key, answer.counts);
    return answer.reserved;
  });
  return { known, reserved };
}

/** What may be kept now: everything, or that without any of the limits that may be forgotten. */
function withoutForgotten(known: Known, now: number): readonly Known[] {
  let possible: Known[] = [known];
  for (const [key, counts] of known) {
    if (counts === undefined || forgetStartsAt(counts) > now) continue;
    possible = possible.flatMap((kept) => [kept, new Map([...kept].filter(([other]) => other !== key))]);
  }
  return possible;
}

import { MAX_INSTANT_AT } from '@retry/core';
import { textProblem } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';
import { hasCalendarDay } from '@retry/core/fields';
import type { Instants, Times } from './queue/views/times.ts';

/** The rule of a text for people that brokers keep: why, or who. */
export const A_REASON = {
  accepts: (value: unknown): value is string => textProblem(value) === undefined,
  message: 'must be text of 1 to 512 bytes',
  cure: 'Say it in one line, or leave it out.',
};

/** The rule of a length of time that has an end, and is not 0. */
export const FINITE_ABOVE_0 = {
  finite: true,
  accepts: (ms: number): boolean => ms > 0,
  message: 'must be a finite duration > 0',
};

/** The rule of a delay from now; brokers store instants up to `MAX_INSTANT_AT`. */
export const A_DELAY = {
  finite: true,
  fromNow: true,
  accepts: (ms: number): boolean => ms <= MAX_INSTANT_AT,
  message: `must be a finite duration from 0 to ${MAX_INSTANT_AT} ms`,
};

/** The rule of how long a lane is on hold; 0 holds nothing. */
export const A_HOLD_LENGTH = {
  finite: true,
  fromNow: true,
  accepts: (ms: number): boolean => ms >= 0 && ms <= MAX_INSTANT_AT,
  message: 'must be a finite duration ≥ 0',
};

/** An instant as options take it, in any of the forms in which a view has it. Text needs a time zone; a number of seconds is refused. */
export type InstantInput = Instants[Times];

const SECONDS_CURE =
  'Multiply them by 1000. A test clock that goes on for days has to begin at a real instant.';

/** Reads an instant in epoch milliseconds; wrong ones are reported. */
export function readInstant(fields: Fields, key: string): number | undefined {
  const given = fields.optional(key, AN_INSTANT);
  if (given === undefined) return undefined;
  const at = toMs(given);
  if (typeof given !== 'string' && isOfSeconds(at))
    fields.fail(key, 'must be epoch milliseconds, and these are seconds', SECONDS_CURE);
  return at;
}

const AN_INSTANT = {
  accepts: (value: unknown): value is InstantInput => Math.abs(toMs(value)) <= MAX_INSTANT_AT,
  message: 'must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
  cure: "Use Date.now() + ms, '2026-11-22T10:00:00Z', or new Date(…).",
};

/** `2026-11-22T10:00Z`, with seconds and their fractions where there are any; the zone is required. */
const ISO = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** Returns an instant in epoch milliseconds; `NaN` for anything else. */
function toMs(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  const isInstant = typeof value === 'string' && ISO.test(value) && hasCalendarDay(value);
  return isInstant ? Date.parse(value) : Number.NaN;
}

/**
 * Returns whether an instant is one of seconds: as seconds these are the years 2001 to 5138, as milliseconds days of 1970 to 1973. Less may
 * be the clock of a test, which begins at 0: in its twelfth day it cannot be told from seconds.
 */
function isOfSeconds(at: number): boolean {
  return at >= 1e9 && at < 1e11;
}

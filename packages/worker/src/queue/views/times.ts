import { MAX_INSTANT_AT } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { hasCalendarDay } from '@retry/core/fields';

/** How instants are written in what a queue returns: epoch milliseconds, ISO 8601 text in UTC, or `Date` objects. */
export type Times = keyof Instants;

/** An instant, by how it is written. */
export interface Instants {
  /** Epoch milliseconds. */
  readonly ms: number;
  /** ISO 8601 text in UTC, with milliseconds. */
  readonly iso: string;
  /** A `Date` of its own, which may be changed. */
  readonly date: Date;
}

/** An instant as a filter takes it, in any of the forms in which a view has it. Text needs a time zone. */
export type InstantInput = Instants[Times];

/** Writes an instant, given in epoch milliseconds. */
export type WriteInstant<At extends Times> = (at: number) => Instants[At];

const WRITERS: { readonly [At in Times]: WriteInstant<At> } = {
  ms: (at) => at,
  iso: (at) => (Math.abs(at) <= MAX_INSTANT_AT ? new Date(at).toISOString() : String(at)),
  date: (at) => new Date(at),
};

/** The values of the option `times`. */
export const TIMES = Object.keys(WRITERS) as readonly Times[]; // its own keys

/** Returns how instants are written. */
export function instantWriter<At extends Times>(times: At): WriteInstant<At> {
  const write: { readonly [Each in Times]: WriteInstant<Each> }[At] = WRITERS[times];
  return write as WriteInstant<At>; // that of its own key
}

/** Reads the option `times`. The caller's types say which it is, so the default is theirs, too. */
export function readTimes<At extends Times>(fields: Fields, fallback: Times): At {
  return fields.choice('times', fallback, TIMES) as At; // see above
}

/** Reads an instant in epoch milliseconds; wrong ones are reported. */
export function readInstant(fields: Fields, key: string): number | undefined {
  const given = fields.optional(key, AN_INSTANT_INPUT);
  return given === undefined ? undefined : toMs(given);
}

/** `2026-11-22T10:00Z`, with seconds and their fractions where there are any; the zone is required. */
const ISO = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const AN_INSTANT_INPUT = {
  accepts: (value: unknown): value is InstantInput => Math.abs(toMs(value)) <= MAX_INSTANT_AT,
  message: 'must be an instant: epoch milliseconds, ISO text with a time zone, or a Date',
  cure: "Use Date.now() - ms, '2026-11-22T10:00:00Z', or new Date(…).",
};

/** NaN for anything but an instant. */
function toMs(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value instanceof Date) return value.getTime();
  const isInstant = typeof value === 'string' && ISO.test(value) && hasCalendarDay(value);
  return isInstant ? Date.parse(value) : Number.NaN;
}

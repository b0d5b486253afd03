import { MAX_INSTANT_AT } from '@retry/core';
import type { Fields } from '@retry/core/fields';

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

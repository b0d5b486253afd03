/** Values as Postgres reads them: arrays as one text, and numbers within the range of their columns. */
import { MAX_INSTANT_AT } from '@retry/core';
import { PostgresBrokerError } from '../errors.ts';

/**
 * Writes an array of text as one text, which any client sends alike. Where every element is absent, it returns `null`:
 * less to send, and the same to the functions that read it.
 *
 * @throws {PostgresBrokerError} `UNKEEPABLE_TEXT` for text with U+0000, which Postgres cannot keep
 */
export function textArray(values: readonly (string | undefined)[]): string | null {
  let written = '';
  let hasValue = false;
  for (const value of values) {
    if (written !== '') written += ',';
    if (value === undefined) written += 'NULL';
    else {
      hasValue = true;
      written += quote(value);
    }
  }
  return hasValue || values.length === 0 ? `{${written}}` : null;
}

/** Writes an array of numbers or booleans; `null` where every element is absent. */
export function plainArray(values: readonly (number | boolean | undefined)[]): string | null {
  let written = '';
  let hasValue = false;
  for (const value of values) {
    if (written !== '') written += ',';
    hasValue ||= value !== undefined;
    written += value === undefined ? 'NULL' : String(value);
  }
  return hasValue || values.length === 0 ? `{${written}}` : null;
}

/** What has to be looked at more closely; most texts have none of it. */
const SPECIAL = /["\\\0]/;

/** Control characters and halves of surrogate pairs, which JSON escapes in another way. */
const UNLIKE_JSON = /[\p{Cc}\p{Cs}]/u;

/** Postgres and JSON escape quotes and backslashes alike, and `JSON.stringify` is three times as fast as a replacement. */
function quote(value: string): string {
  if (!SPECIAL.test(value)) return `"${value}"`;
  if (value.includes('\0')) throw refuseNul(value);
  return UNLIKE_JSON.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
}

function refuseNul(value: string): PostgresBrokerError {
  const shown = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return new PostgresBrokerError(
    'UNKEEPABLE_TEXT',
    `Postgres cannot keep text with U+0000, got ${shown}. Leave that character out.`,
  );
}

/** Larger than any number of runs that is asked for, and within every integer type of the server. */
const MAX_COUNT = 2 ** 31 - 1;

/** An epoch that no run has. */
const NO_EPOCH = -1;

/** Returns a future instant or a duration as whole ms, rounded up so that nothing is early, within the range of a column. */
export function upToWhole(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.ceil(Math.max(-MAX_INSTANT_AT, Math.min(ms, MAX_INSTANT_AT)));
}

/** Returns a past instant as whole ms, rounded down so that nothing is late, within the range of a column. */
export function downToWhole(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.floor(Math.max(-MAX_INSTANT_AT, Math.min(ms, MAX_INSTANT_AT)));
}

/** Returns a count as a whole number, `0 ≤ count < 2 ** 31`. */
export function toCount(count: number): number {
  return Number.isNaN(count) ? 0 : Math.floor(Math.max(0, Math.min(count, MAX_COUNT)));
}

/** Returns an epoch that can be compared; what is no epoch is none of any run. */
export function toEpoch(epoch: number): number {
  return Number.isSafeInteger(epoch) ? epoch : NO_EPOCH;
}

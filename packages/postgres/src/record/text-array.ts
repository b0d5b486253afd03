import { PostgresBrokerError } from '../errors.ts';

/**
 * Writes an array as Postgres reads it, so that any client sends it as one text. Where every element is absent the
 * whole is `null`: less to send, and the same to the functions that read it.
 *
 * @throws {PostgresBrokerError} for text with U+0000, which Postgres cannot keep
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

/** The same for numbers and booleans. */
export function plainArray(values: readonly (number | boolean | undefined)[]): string | null {
  if (values.length > 0 && values.every((value) => value === undefined)) return null;
  return `{${values.map((value) => (value === undefined ? 'NULL' : String(value))).join(',')}}`;
}

const SPECIAL = /["\\]/;

/** Control characters and halves of surrogate pairs: JSON writes them in a way of its own. */
const UNLIKE_JSON = /[\p{Cc}\p{Cs}]/u;

/** Both escape quotes and backslashes alike, and JSON, which most texts here are, is written three times as fast. */
function quote(value: string): string {
  if (value.includes('\0')) throw refuseNul(value);
  if (!SPECIAL.test(value)) return `"${value}"`;
  return UNLIKE_JSON.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
}

function refuseNul(value: string): PostgresBrokerError {
  const shown = JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  return new PostgresBrokerError(
    'UNKEEPABLE_TEXT',
    `Postgres cannot keep text with U+0000, got ${shown}. Leave that character out.`,
  );
}

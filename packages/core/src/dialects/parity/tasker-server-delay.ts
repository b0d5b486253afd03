import type { ServerDelay } from '../../decision/decision.ts';
import { type HeaderSource, parseServerDelay } from '../../decision/parse-server-delay.ts';

const HEADER = 'retry-after';

/** Tasker parses seconds as an unsigned 32-bit integer; a larger number is malformed. */
const MAX_SECONDS = 2 ** 32 - 1;

/** An integer, or text that may be a date; no decimals, no spaces around it, no list. */
const READABLE = /^(\+?\d+|[A-Z].*)$/;

/**
 * Reads response headers as Tasker does: only `Retry-After`, as whole seconds or as a date, whose remaining seconds are
 * rounded down. Pass the result to `decide` as the failure's `serverDelay`.
 *
 * @param nowAt - epoch milliseconds, for a date
 */
export function taskerServerDelay(headers: HeaderSource, nowAt: number): ServerDelay {
  const value = retryAfter(headers);
  const asked = parseServerDelay({ [HEADER]: value }, nowAt);
  if (asked.type !== 'delay' || value === undefined) return asked;
  const seconds = Math.floor(asked.delayMs / 1_000);
  if (!READABLE.test(value) || seconds > MAX_SECONDS) return { type: 'malformed', header: HEADER, value };
  return { type: 'delay', delayMs: seconds * 1_000 };
}

function retryAfter(headers: HeaderSource): string | undefined {
  const value: unknown =
    typeof headers.get === 'function'
      ? headers.get(HEADER)
      : Object.entries(headers).find(([name]) => name.toLowerCase() === HEADER)?.[1];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' || typeof first === 'number' ? String(first) : undefined;
}

import type { ServerDelay } from '../decision/decision.ts';
import { type HeaderSource, parseServerDelay } from '../decision/parse-server-delay.ts';

const HEADER = 'retry-after';

/** Tasker reads seconds into an unsigned number of 32 bits; what does not fit is no answer. */
const MOST_SECONDS = 2 ** 32 - 1;

/**
 * What Tasker reads from response headers: `Retry-After` and nothing else, as whole seconds or as a date, whose
 * remaining seconds are rounded down. Hand it to `decide` as the failure's `serverDelay`.
 *
 * @param nowAt - epoch milliseconds, for a date
 */
export function taskerServerDelay(headers: HeaderSource, nowAt: number): ServerDelay {
  const asked = parseServerDelay(onlyRetryAfter(headers), nowAt);
  if (asked.type !== 'delay') return asked;
  const seconds = Math.floor(asked.delayMs / 1_000);
  if (seconds > MOST_SECONDS) return { type: 'malformed', header: HEADER, value: String(seconds) };
  return { type: 'delay', delayMs: seconds * 1_000 };
}

function onlyRetryAfter(headers: HeaderSource): HeaderSource {
  const { get } = headers;
  if (typeof get !== 'function') {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() === HEADER));
  }
  return { get: (name) => (name === HEADER ? get.call(headers, name) : undefined) };
}

import { beneath } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';
import type { ServerDelay } from './decision.ts';
import type { HeaderSource } from './parse-server-delay.ts';
import { longest, parseServerDelay } from './parse-server-delay.ts';
import { serverDelayOf } from './server-delay.ts';

/**
 * Reads the delay that an error or a `Response` asks for: that of a `RetryAfterError`, else the headers at `headers`,
 * `response.headers`, `responseHeaders` or `$response.headers` (fetch, axios, ky, got, AI SDK, AWS SDK).
 *
 * If the error itself has none, its causes are read (`cause` and `AggregateError.errors`); the longest delay is
 * returned. Never throws.
 *
 * @param nowAt - epoch milliseconds, for an HTTP date without a `Date` header
 */
export function readServerDelay(source: unknown, nowAt: number): ServerDelay {
  if (!mayHaveHeaders(source)) return serverDelayOf(source);
  const status = statusOf(source);
  const own = ownServerDelay(source, nowAt, status);
  if (own.type === 'delay' || own.type === 'refused') return own;
  const others = beneath(source).map((inner) => ownServerDelay(inner, nowAt, statusOf(inner) ?? status));
  const found = longest(others);
  return found?.type === 'delay' || found?.type === 'refused' || own.type === 'absent' ? (found ?? own) : own;
}

/**
 * Returns whether there is anything to read. Every failure passes here and most errors have none of these properties;
 * engines read literal names many times faster than keys in a variable.
 */
function mayHaveHeaders(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false;
  try {
    const { headers, response, responseHeaders, $response, cause, errors } = source as Readonly<
      Record<string, unknown>
    >; // an object may have any property
    return (headers ?? response ?? responseHeaders ?? $response ?? cause ?? errors) !== undefined;
  } catch {
    return true; // one property throws; the others may still be readable
  }
}

/** Reads the delay of the error itself, without its causes, from the first of its headers that asks for one. */
function ownServerDelay(source: unknown, nowAt: number, status: number | undefined): ServerDelay {
  const marked = serverDelayOf(source);
  if (marked.type !== 'absent') return marked;
  let answer: ServerDelay = marked;
  for (const headers of headersOf(source)) {
    const parsed = parseServerDelay(headers, nowAt, status);
    if (parsed.type === 'delay' || parsed.type === 'refused') return parsed;
    if (answer.type === 'absent') answer = parsed;
  }
  return answer;
}

function headersOf(source: unknown): readonly HeaderSource[] {
  const sources = [
    read(source, 'headers'),
    read(read(source, 'response'), 'headers'),
    read(source, 'responseHeaders'),
    read(read(source, '$response'), 'headers'),
  ];
  // Every object can be read by the name of a header.
  return sources.filter((source): source is HeaderSource => typeof source === 'object' && source !== null);
}

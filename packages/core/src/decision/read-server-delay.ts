import { askedDelayMs, RETRY_AFTER } from '../markers.ts';
import { causesOf } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';
import type { DecisionContext, ServerDelay } from './decision.ts';
import type { HeaderSource } from './parse-server-delay.ts';
import { longest, NOTHING, parseServerDelay, weightOf } from './parse-server-delay.ts';

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
  return serverDelayBy(source, { now: nowAt });
}

/** Reads the delay as `readServerDelay` does, at an instant of the clock; the wall clock is read only if there is something to read. */
export function serverDelayBy(
  source: unknown,
  { now, wallNow }: Pick<DecisionContext, 'now' | 'wallNow'>,
): ServerDelay {
  if (!mayAsk(source)) return NOTHING;
  const nowAt = wallNow === undefined ? now : wallNow();
  const status = statusOf(source);
  const own = ownServerDelay(source, nowAt, status);
  if (weightOf(own) >= 0) return own;
  const others = causesOf(source).map((inner) => ownServerDelay(inner, nowAt, statusOf(inner) ?? status));
  const greatest = longest(others.map(weightOf));
  if (greatest < 0 && own.type !== 'absent') return own;
  return others.find((other) => weightOf(other) === greatest) ?? own;
}

/**
 * Returns whether there is anything to read. Every failure passes here and most errors have none of these properties;
 * engines read literal names many times faster than keys in a variable.
 */
function mayAsk(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false;
  try {
    const {
      headers,
      response,
      responseHeaders,
      $response,
      cause,
      errors,
      [RETRY_AFTER]: mark,
    } = source as Readonly<Record<PropertyKey, unknown>>; // an object may have any property
    return (headers ?? response ?? responseHeaders ?? $response ?? cause ?? errors ?? mark) !== undefined;
  } catch {
    return true; // one property throws; the others may still be readable
  }
}

/** Reads the delay of the error itself, without its causes: the first that its mark or one of its headers asks for. */
function ownServerDelay(source: unknown, nowAt: number, status: number | undefined): ServerDelay {
  const delayMs = askedDelayMs(source);
  if (delayMs !== undefined) return { type: 'delay', delayMs };
  const answers = headersOf(source).map((headers) => parseServerDelay(headers, nowAt, status));
  return (
    answers.find((answer) => weightOf(answer) >= 0) ??
    answers.find(({ type }) => type === 'malformed') ??
    NOTHING
  );
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

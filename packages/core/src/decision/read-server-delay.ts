import { beneath } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';
import type { ServerDelay } from './decision.ts';
import type { HeaderSource } from './parse-server-delay.ts';
import { longest, parseServerDelay } from './parse-server-delay.ts';
import { serverDelayOf } from './server-delay.ts';

/**
 * What a thrown error, or a `Response`, says about when to come back: a `RetryAfterError`'s own delay, else the headers
 * at `headers`, `response.headers`, `responseHeaders` or `$response.headers` (fetch, axios, ky, got, AI SDK, AWS SDK).
 *
 * Where the error itself says nothing, what is beneath it is asked: `cause` and `AggregateError.errors`, of several the
 * longest. Never throws, whatever it is given.
 *
 * @param nowAt - epoch milliseconds, for an HTTP date that comes without a `Date` header
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
 * Whether there is anything to look at; most errors have none of these, and every failure is asked. By names that are
 * written out, which engines look up many times faster than keys that are passed on.
 */
function mayHaveHeaders(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false;
  try {
    const { headers, response, responseHeaders, $response, cause, errors } = source as Readonly<
      Record<string, unknown>
    >; // any object may be read by any key
    return (headers ?? response ?? responseHeaders ?? $response ?? cause ?? errors) !== undefined;
  } catch {
    return true; // what can be read of it counts
  }
}

/** What the error itself says, in the first of its headers that says anything. */
function ownServerDelay(source: unknown, nowAt: number, status: number | undefined): ServerDelay {
  const marked = serverDelayOf(source);
  if (marked.type !== 'absent') return marked;
  let answer: ServerDelay = marked;
  for (const headers of headersOf(source)) {
    const asked = parseServerDelay(headers, nowAt, status);
    if (asked.type === 'delay' || asked.type === 'refused') return asked;
    if (answer.type === 'absent') answer = asked;
  }
  return answer;
}

function headersOf(source: unknown): readonly HeaderSource[] {
  const places = [
    read(source, 'headers'),
    read(read(source, 'response'), 'headers'),
    read(source, 'responseHeaders'),
    read(read(source, '$response'), 'headers'),
  ];
  // Any object may be read by a header's name.
  return places.filter((place): place is HeaderSource => typeof place === 'object' && place !== null);
}

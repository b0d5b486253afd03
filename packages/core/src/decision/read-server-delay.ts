import { askedDelayMs, RETRY_AFTER } from '../markers.ts';
import { causesOf } from '../matching/causes.ts';
import { responsesOf } from '../matching/responses-of.ts';
import { statusOf } from '../matching/status-of.ts';
import { read } from '../read.ts';
import type { DecisionContext, ServerDelay } from './decision.ts';
import type { HeaderSource } from './parse-server-delay.ts';
import { longest, NOTHING, parseServerDelay, weightOf } from './parse-server-delay.ts';
import { statedDelayMs } from './stated-delay.ts';

/**
 * Reads the delay that an error or a `Response` asks for: that of a `RetryAfterError`, else the headers, of the error itself or of its
 * response, wherever clients keep it; the metadata of gRPC; else what clients and servers state beside or instead of headers:
 * `retryAfterMs`, `retryAfter` of clients that document its unit, `google.rpc.RetryInfo`, and "try again in 20s" in a message.
 *
 * If the error itself has none, its causes are read; the longest delay is returned. Never throws.
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
 * Returns whether there is anything to read. Every failure passes here, and most errors have no property that holds an object, no
 * number beside their code, and no message about a retry; engines read literal names many times faster than keys in a variable.
 */
function mayAsk(source: unknown): boolean {
  if (typeof source !== 'object' || source === null) return false;
  try {
    const {
      headers,
      response,
      cause,
      errors,
      suppressed,
      message,
      [RETRY_AFTER]: mark,
    } = source as Readonly<Record<PropertyKey, unknown>>; // an object may have any property
    if ((headers ?? response ?? cause ?? errors ?? suppressed ?? mark) !== undefined) return true;
    return hasMore(source, message);
  } catch {
    return true; // one property throws; the others may still be readable
  }
}

/** A longer text may be JSON with a delay. */
const MAX_CODE_LENGTH = 12;

function isOfDelay(key: string): boolean {
  return key.startsWith('retry') || key.endsWith('BeforeNext');
}

/**
 * Returns whether an enumerable property is an object, or has a name that says that it is a delay, or is JSON with such a name; or
 * whether the message may state one. An error with nothing but a message, or of the system, is none of a client that would.
 */
function hasMore(source: object, message: unknown): boolean {
  let isBare = true;
  // Engines keep the list of names for `for in`, and make a new one for `Object.keys`.
  for (const key in source) {
    if (key === 'syscall') return false;
    isBare = false;
    const value = (source as Readonly<Record<string, unknown>>)[key]; // its own key
    if (typeof value === 'object' ? value !== null : typeof value === 'number' && isOfDelay(key)) return true;
    if (typeof value === 'string' && value.length > MAX_CODE_LENGTH && value.includes('"retry')) return true;
  }
  return !isBare && typeof message === 'string' && (message.includes('etry') || message.includes('again'));
}

/** Reads the delay of the error itself, without its causes: the first that its mark, one of its headers or its text asks for. */
function ownServerDelay(source: unknown, nowAt: number, status: number | undefined): ServerDelay {
  const delayMs = askedDelayMs(source);
  if (delayMs !== undefined) return { type: 'delay', delayMs };
  const answers = headersOf(source).map((headers) => parseServerDelay(headers, nowAt, status));
  const asked = answers.find((answer) => weightOf(answer) >= 0);
  if (asked !== undefined) return asked;
  const statedMs = statedDelayMs(source);
  if (statedMs !== undefined) return { type: 'delay', delayMs: statedMs };
  return answers.find(({ type }) => type === 'malformed') ?? NOTHING;
}

function headersOf(source: unknown): readonly HeaderSource[] {
  const sources = [
    read(source, 'headers'),
    read(source, 'responseHeaders'),
    read(source, 'metadata'), // gRPC
    ...responsesOf(source).flatMap((response) => [
      read(response, 'headers'),
      read(response, 'parsedHeaders'),
    ]),
  ];
  // Every object can be read by the name of a header.
  return sources.filter((source): source is HeaderSource => typeof source === 'object' && source !== null);
}

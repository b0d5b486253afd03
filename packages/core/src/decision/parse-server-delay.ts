import type { ServerDelay } from './decision.ts';
import { httpDateAt } from './http-date.ts';
import { parseRateLimit, rateLimitReset } from './rate-limit.ts';

/** Response headers: a fetch `Headers`, or a plain object with names in any case (Node, axios). */
export type HeaderSource =
  | { readonly get: (name: string) => unknown }
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** What a parser may read besides the value. */
interface ParseContext {
  readonly nowAt: number;
  readonly headers: HeaderSource;
}

/** Reads one value; returns `undefined` if it is malformed. */
type Parser = (value: string, context: ParseContext) => ServerDelay | undefined;

const ABSENT: ServerDelay = { type: 'absent' };

/** The headers about retrying, in order of precedence. */
const PARSERS: Readonly<Record<string, Parser>> = {
  'x-should-retry': (value) => (value.toLowerCase() === 'false' ? { type: 'refused' } : ABSENT),
  // gRPC A6: a negative or malformed pushback forbids a retry.
  'grpc-retry-pushback-ms': (value) => milliseconds(value) ?? { type: 'refused' },
  'retry-after-ms': milliseconds,
  'x-ms-retry-after-ms': milliseconds,
  // Milliseconds, as in the AWS SDKs for Java, .NET and Rust.
  'x-amz-retry-after': milliseconds,
  'retry-after': (value, { nowAt, headers }) => seconds(value) ?? httpDate(value, headers, nowAt),
};

/** Headers that rate limiters add to every response: read only if the response says that the limit is reached. */
const RATE_LIMIT_PARSERS: Readonly<Record<string, Parser>> = {
  'x-ratelimit-retry-after': resetOf,
  ratelimit: (value) => toDelay(parseRateLimit(value)),
  'ratelimit-reset': limitedResetOf('ratelimit-remaining'),
  'x-ratelimit-reset': limitedResetOf('x-ratelimit-remaining'),
  'x-rate-limit-reset': limitedResetOf('x-rate-limit-remaining'),
};

const LIMIT_REACHED: readonly unknown[] = [429, 503];

/**
 * Reads the delay that response headers ask for: `x-should-retry`, `grpc-retry-pushback-ms`, `retry-after-ms`,
 * `x-ms-retry-after-ms`, `x-amz-retry-after` (milliseconds) and `Retry-After` (seconds or an HTTP date); on 429 and 503
 * also the reset of the rate limit. If a header has several values, the longest delay is returned.
 *
 * A date is relative to the response's own `Date` header if there is one, so that clock skew does not matter; a date in
 * the past is no delay. Never throws.
 *
 * @param nowAt - epoch milliseconds; used for dates and instants when the response has no `Date` header
 * @param status - of the response; the `RateLimit` headers are read on 429 and 503 only
 * @see RFC 9110 section 10.2.3, gRPC proposal A6, IETF draft ratelimit-headers
 */
export function parseServerDelay(headers: HeaderSource, nowAt: number, status?: number): ServerDelay {
  const parsers = LIMIT_REACHED.includes(status) ? { ...PARSERS, ...RATE_LIMIT_PARSERS } : PARSERS;
  let answer = ABSENT;
  for (const [header, parse] of Object.entries(parsers)) {
    const values = valuesOf(headers, header);
    if (values.length === 0) continue;
    const parsed = longest(values.map((value) => parse(value, { nowAt, headers })));
    if (parsed !== undefined && parsed.type !== 'absent') return parsed;
    if (parsed === undefined) answer = { type: 'malformed', header, value: values.join(', ') };
  }
  return answer;
}

/** Returns a refusal, else the longest delay, else absent; `undefined` if every value is malformed. */
export function longest(answers: readonly (ServerDelay | undefined)[]): ServerDelay | undefined {
  let found: ServerDelay | undefined;
  for (const answer of answers) {
    if (answer !== undefined && (found === undefined || weightOf(answer) > weightOf(found))) found = answer;
  }
  return found;
}

function weightOf(answer: ServerDelay): number {
  switch (answer.type) {
    case 'refused':
      return Infinity;
    case 'delay':
      return answer.delayMs;
    case 'absent':
      return -1;
    case 'malformed':
      return -2;
  }
}

function valuesOf(headers: HeaderSource, name: string): readonly string[] {
  const texts = rawValues(headers, name)
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String);
  // The list of a `RateLimit` header is one value.
  return name === 'ratelimit' ? texts : texts.flatMap(splitList);
}

/** Splits at commas, by which `Headers` joins repeated headers, but not after the weekday of a date. */
function splitList(text: string): readonly string[] {
  // A header cannot contain a line break, so it can stand in for the comma of a date.
  const marked = text.replace(/\b((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*),/g, '$1\n');
  return marked.split(',').map((value) => value.replace('\n', ',').trim());
}

/** Returns no values if reading them throws. */
function rawValues(headers: HeaderSource, name: string): readonly unknown[] {
  try {
    const value: unknown = typeof headers.get === 'function' ? headers.get(name) : own(headers, name);
    return Array.isArray(value) ? [...value] : [value];
  } catch {
    return [];
  }
}

function own(headers: object, name: string): unknown {
  return Object.entries(headers).find(
    ([key, value]) => value !== undefined && key.toLowerCase() === name,
  )?.[1];
}

function milliseconds(value: string): ServerDelay | undefined {
  return /^\d+(\.\d+)?$/.test(value) ? delay(Number(value)) : undefined;
}

function seconds(value: string): ServerDelay | undefined {
  return /^\+?\d+(\.\d+)?$/.test(value) ? delay(Number(value) * 1_000) : undefined;
}

function httpDate(value: string, headers: HeaderSource, nowAt: number): ServerDelay | undefined {
  // The `Date` header sets the century of a two-digit year, even if the local clock is wrong, and the other way round.
  const at = httpDateAt(value, sentAt(headers, nowAt));
  return at === undefined ? undefined : until(at, sentAt(headers, nowAt, at));
}

/** Returns the instant of the response, by the `Date` header if there is one. */
function sentAt(headers: HeaderSource, nowAt: number, nearAt = nowAt): number {
  const [date = ''] = valuesOf(headers, 'date');
  return httpDateAt(date, nearAt) ?? nowAt;
}

function resetOf(value: string, { headers, nowAt }: ParseContext): ServerDelay | undefined {
  const reset = rateLimitReset(value);
  if (reset === undefined) return httpDate(value, headers, nowAt);
  return 'at' in reset ? until(reset.at, sentAt(headers, nowAt)) : delay(reset.delayMs);
}

/** Reads a reset that many servers send with every response: it counts only if the limit is used up. */
function limitedResetOf(remaining: string): Parser {
  return (value, context) => {
    const [left] = valuesOf(context.headers, remaining);
    return Number(left) > 0 ? ABSENT : resetOf(value, context);
  };
}

function until(at: number, nowAt: number): ServerDelay {
  return at > nowAt ? delay(at - nowAt) : ABSENT;
}

function toDelay(delayMs: number | undefined): ServerDelay | undefined {
  return delayMs === undefined ? undefined : delay(delayMs);
}

function delay(delayMs: number): ServerDelay {
  return { type: 'delay', delayMs };
}

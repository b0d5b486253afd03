import { askedDelayMs } from '../markers.ts';
import { causesOf } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import type { PolicySettings } from '../policy/policy.ts';
import { read } from '../read.ts';
import type { ServerDelay } from './decision.ts';
import { httpDateAt } from './http-date.ts';

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
  ratelimit: rateLimitDelay,
  'ratelimit-reset': limitedResetOf('ratelimit-remaining'),
  'x-ratelimit-reset': limitedResetOf('x-ratelimit-remaining'),
  'x-rate-limit-reset': limitedResetOf('x-rate-limit-remaining'),
};

/** No server asks for a wait of three years: a reset that is not smaller is an instant in seconds. */
const FIRST_EPOCH_SECOND = 1e8;

/** In seconds this would be the year 5138: a reset that is not smaller is an instant in milliseconds. */
const FIRST_EPOCH_MS = 1e11;

const SECONDS = /^\+?\d+(\.\d+)?$/;

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
  if (isRequest(own)) return own;
  const others = causesOf(source).map((inner) => ownServerDelay(inner, nowAt, statusOf(inner) ?? status));
  const found = longest(others);
  return isRequest(found) || own.type === 'absent' ? (found ?? own) : own;
}

/**
 * Returns the delay before a retry: the policy's own, raised to the server's delay or replaced by it.
 *
 * @returns milliseconds; `undefined` when the server refuses or asks for more than `retryAfter.max`
 */
export function applyServerDelay(
  policy: PolicySettings,
  ownMs: number,
  asked: ServerDelay,
): number | undefined {
  const { maxMs, mode } = policy.retryAfter;
  if (mode === 'ignore') return ownMs;
  if (asked.type === 'refused') return undefined;
  if (asked.type !== 'delay' || !(asked.delayMs >= 0)) return ownMs;
  if (mode === 'replace') return Math.min(asked.delayMs, maxMs, Number.MAX_VALUE);
  return asked.delayMs > maxMs ? undefined : Math.min(Math.max(ownMs, asked.delayMs), Number.MAX_VALUE);
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

/** Whether a server asked for a delay, or for no retry. */
function isRequest(answer: ServerDelay | undefined): boolean {
  return answer?.type === 'delay' || answer?.type === 'refused';
}

/** Reads the delay of the error itself, without its causes, from the first of its headers that asks for one. */
function ownServerDelay(source: unknown, nowAt: number, status: number | undefined): ServerDelay {
  const marked = serverDelayOf(source);
  if (marked.type !== 'absent') return marked;
  let answer: ServerDelay = marked;
  for (const headers of headersOf(source)) {
    const asked = parseServerDelay(headers, nowAt, status);
    if (isRequest(asked)) return asked;
    if (answer.type === 'absent') answer = asked;
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

/** Returns the delay that a `RetryAfterError` asks for; absent for any other error. */
function serverDelayOf(error: unknown): ServerDelay {
  const delayMs = askedDelayMs(error);
  return delayMs === undefined ? ABSENT : { type: 'delay', delayMs };
}

/** Returns a refusal, else the longest delay, else absent; `undefined` if every value is malformed. */
function longest(answers: readonly (ServerDelay | undefined)[]): ServerDelay | undefined {
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
  return SECONDS.test(value) ? delay(Number(value) * 1_000) : undefined;
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

/**
 * The delay that a `RateLimit` header asks for: the longest `t` of the limits that are used up
 * (`"default";r=0;t=30`), or `reset` in the older form (`limit=100, remaining=0, reset=30`). `undefined` where there is
 * none to read.
 */
function rateLimitDelay(value: string): ServerDelay | undefined {
  const text = value.replace(/"(?:\\.|[^"\\])*"/g, '');
  const items = /\breset=/.test(text) ? [text] : text.split(',');
  const limits = items.map((item) => ({
    seconds: Number(/\b(?:t|reset)=(\d+)/.exec(item)?.[1]),
    isUsedUp: /\b(?:r|remaining)=0\b/.test(item),
  }));
  const readable = limits.filter(({ seconds }) => !Number.isNaN(seconds));
  const usedUp = readable.filter(({ isUsedUp }) => isUsedUp);
  const counted = usedUp.length > 0 ? usedUp : readable;
  if (counted.length === 0) return undefined;
  return delay(counted.reduce((most, { seconds: one }) => Math.max(most, one), 0) * 1_000);
}

function resetOf(value: string, { headers, nowAt }: ParseContext): ServerDelay | undefined {
  if (!SECONDS.test(value)) return httpDate(value, headers, nowAt);
  const reset = Number(value);
  if (reset < FIRST_EPOCH_SECOND) return delay(reset * 1_000);
  return until(reset < FIRST_EPOCH_MS ? reset * 1_000 : reset, sentAt(headers, nowAt));
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

function delay(delayMs: number): ServerDelay {
  return { type: 'delay', delayMs };
}

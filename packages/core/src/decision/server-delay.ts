import { askedDelayMs } from '../markers.ts';
import { beneath } from '../matching/causes.ts';
import { statusOf } from '../matching/status-of.ts';
import type { PolicySettings } from '../policy/policy.ts';
import { read } from '../read.ts';
import type { ServerDelay } from './decision.ts';
import { httpDateAt } from './http-date.ts';

/** Response headers: a fetch `Headers`, or a plain object with names in any case (Node, axios). */
export type HeaderSource =
  | { readonly get: (name: string) => unknown }
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/** What is known besides the value. */
interface Circumstances {
  readonly nowAt: number;
  readonly headers: HeaderSource;
}

/** Reads one value; `undefined` is malformed. */
type Parser = (value: string, circumstances: Circumstances) => ServerDelay | undefined;

const ABSENT: ServerDelay = { type: 'absent' };

/** The headers that speak about retrying, the most telling first. */
const PARSERS: Readonly<Record<string, Parser>> = {
  'x-should-retry': (value) => (value.toLowerCase() === 'false' ? { type: 'refused' } : ABSENT),
  // gRPC A6: a negative pushback, or one that cannot be read, means "do not retry".
  'grpc-retry-pushback-ms': (value) => milliseconds(value) ?? { type: 'refused' },
  'retry-after-ms': milliseconds,
  'x-ms-retry-after-ms': milliseconds,
  // The AWS SDKs for Java, .NET and Rust read it so.
  'x-amz-retry-after': milliseconds,
  'retry-after': (value, { nowAt, headers }) => seconds(value) ?? httpDate(value, headers, nowAt),
};

/** What rate limiters say on every answer: it is about retrying only where the answer is that the limit is reached. */
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
 * What response headers say about when to come back: `x-should-retry`, `grpc-retry-pushback-ms`,
 * `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after` (milliseconds) and `Retry-After` (seconds or an
 * HTTP date); on 429 and 503 also the rate limit's reset. Of several values of one header the longest holds.
 *
 * A date counts from the answer's own `Date` header where there is one, so that a skewed clock does not
 * matter; one in the past asks for nothing. Never throws.
 *
 * @param nowAt - epoch milliseconds; dates without a `Date` header and resets given as instants need it
 * @param status - of the response; the `RateLimit` headers count on 429 and 503 alone
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
  if (isRequest(own)) return own;
  const others = beneath(source).map((inner) => ownServerDelay(inner, nowAt, statusOf(inner) ?? status));
  const found = longest(others);
  return isRequest(found) || own.type === 'absent' ? (found ?? own) : own;
}

/**
 * The delay once the server was heard: our own raised to the server's floor, or replaced by it.
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

/** Whether a server asked for a delay, or for no retry. */
function isRequest(answer: ServerDelay | undefined): boolean {
  return answer?.type === 'delay' || answer?.type === 'refused';
}

/** What the error itself says, in the first of its headers that says anything. */
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
  const places = [
    read(source, 'headers'),
    read(read(source, 'response'), 'headers'),
    read(source, 'responseHeaders'),
    read(read(source, '$response'), 'headers'),
  ];
  // Any object may be read by a header's name.
  return places.filter((place): place is HeaderSource => typeof place === 'object' && place !== null);
}

/** What a `RetryAfterError` asks for; absent for any other error. */
function serverDelayOf(error: unknown): ServerDelay {
  const delayMs = askedDelayMs(error);
  return delayMs === undefined ? ABSENT : { type: 'delay', delayMs };
}

/** A refusal, else the longest delay, else absent; `undefined` where nothing could be read. */
function longest(answers: readonly (ServerDelay | undefined)[]): ServerDelay | undefined {
  let most: ServerDelay | undefined;
  for (const answer of answers) {
    if (answer !== undefined && (most === undefined || weightOf(answer) > weightOf(most))) most = answer;
  }
  return most;
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
  const texts = askedValues(headers, name)
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map(String);
  // The list of a rate limiter is one value, whose parts belong together.
  return name === 'ratelimit' ? texts : texts.flatMap(splitList);
}

/** Splits at commas, as `Headers` joins repeated headers by them, but not at the one after the weekday of a date. */
function splitList(text: string): readonly string[] {
  // No header has a line break in it.
  const kept = text.replace(/\b((?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*),/g, '$1\n');
  return kept.split(',').map((value) => value.replace('\n', ',').trim());
}

/** What throws when it is asked, or looked at, says nothing. */
function askedValues(headers: HeaderSource, name: string): readonly unknown[] {
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

/** One of the three date forms of RFC 9110; all of them are in GMT, also the one that does not say so. */
function httpDate(value: string, headers: HeaderSource, nowAt: number): ServerDelay | undefined {
  // A year of two digits is read beside the other date, which is near it, however wrong our own clock is.
  const at = httpDateAt(value, sentAt(headers, nowAt));
  return at === undefined ? undefined : until(at, sentAt(headers, nowAt, at));
}

/** When the server answered, by its own clock where it says so. */
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

function resetOf(value: string, { headers, nowAt }: Circumstances): ServerDelay | undefined {
  if (!SECONDS.test(value)) return httpDate(value, headers, nowAt);
  const reset = Number(value);
  if (reset < FIRST_EPOCH_SECOND) return delay(reset * 1_000);
  return until(reset < FIRST_EPOCH_MS ? reset * 1_000 : reset, sentAt(headers, nowAt));
}

/** Many send their reset with every answer; where something is left, the limit is not what failed. */
function limitedResetOf(remaining: string): Parser {
  return (value, circumstances) => {
    const [left] = valuesOf(circumstances.headers, remaining);
    return Number(left) > 0 ? ABSENT : resetOf(value, circumstances);
  };
}

function until(at: number, nowAt: number): ServerDelay {
  return at > nowAt ? delay(at - nowAt) : ABSENT;
}

function delay(delayMs: number): ServerDelay {
  return { type: 'delay', delayMs };
}

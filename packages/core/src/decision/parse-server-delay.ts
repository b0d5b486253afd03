import { UNIT_MS } from '../duration.ts';
import type { ServerDelay } from './decision.ts';
import { httpDateAt } from './http-date.ts';

/** Response headers: a fetch `Headers`, or a plain object with names in any case (Node, axios). */
export type HeaderSource =
  | { readonly get: (name: string) => unknown }
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

/**
 * What a value asks for: milliseconds, or one of the other three. Of several values the greatest counts: a refusal, the
 * longest delay, nothing, and what cannot be read.
 */
type Asked = number;

const REFUSED: Asked = Infinity;
const ABSENT: Asked = -1;
const MALFORMED: Asked = -2;

const WEIGHTS = { refused: REFUSED, absent: ABSENT, malformed: MALFORMED };

/** What stands for an instant where it only matters whether a delay is asked for: every date is ahead of it. */
export const NO_CLOCK: number = -Infinity;

/** The answer of what asks for nothing. */
export const NOTHING: ServerDelay = { type: 'absent' };

/** What a parser may read besides the value. */
interface ParseContext {
  readonly header: string;
  readonly headers: HeaderReader;
  readonly nowAt: number;
}

/** Returns the value of a header by its name in lower case. */
type HeaderReader = (name: string) => unknown;

type Parser = (value: string, context: ParseContext) => Asked;

/** The headers about retrying, in order of precedence. */
const PARSERS: Readonly<Record<string, Parser>> = {
  'x-should-retry': refusal,
  'stripe-should-retry': refusal,
  // gRPC A6: a negative or malformed pushback forbids a retry.
  'grpc-retry-pushback-ms': (value) => delayOf(value, 1) ?? REFUSED,
  'retry-after-ms': milliseconds,
  'x-ms-retry-after-ms': milliseconds,
  // Milliseconds, as in the AWS SDKs for Java, .NET and Rust.
  'x-amz-retry-after': milliseconds,
  'retry-after': retryAfter,
  // The throttler of NestJS names the header for the limit that is reached and sends no `Retry-After`; its guide has these three.
  'retry-after-short': retryAfter,
  'retry-after-medium': retryAfter,
  'retry-after-long': retryAfter,
};

/** Headers that rate limiters add to every response: read only if the response says that the limit is reached. */
const RATE_LIMIT_PARSERS: Readonly<Record<string, Parser>> = {
  'x-ratelimit-retry-after': reset,
  ratelimit: rateLimit,
  'x-ratelimit-reset-after': resetIfUsedUp, // Discord: seconds with decimals, more exact than its x-ratelimit-reset
  'ratelimit-reset': resetIfUsedUp,
  'x-ratelimit-reset': resetIfUsedUp,
  'x-rate-limit-reset': resetIfUsedUp,
  'x-contentful-ratelimit-reset': resetIfUsedUp,
};

/** The limits of one vendor or server, several of which may be used up: the longest delay counts. */
const VENDOR_LIMITS: readonly string[] = [
  'x-ratelimit-reset-requests', // OpenAI, Groq, Mistral
  'x-ratelimit-reset-tokens',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-reset',
  'anthropic-ratelimit-input-tokens-reset',
  'anthropic-ratelimit-output-tokens-reset',
  'x-ratelimit-pathreset', // hapi-rate-limit
  'x-ratelimit-userreset',
  'x-ratelimit-userpathreset',
];

/** The least reset, in milliseconds, that is no wait: no server asks for one of three years, so that it is an instant in seconds. */
const FIRST_INSTANT = 1e11;

/** The least reset, in milliseconds, that is 1000 times an instant in milliseconds: as one in seconds it would be the year 5138. */
const FIRST_INSTANT_IN_MS = 1e14;

/**
 * Reads the delay that response headers ask for: `x-should-retry`, `grpc-retry-pushback-ms`, `retry-after-ms`,
 * `x-ms-retry-after-ms`, `x-amz-retry-after` (milliseconds), `Retry-After` and that of a named limit of NestJS
 * (`Retry-After-short`; seconds, an HTTP date or RFC 3339); on 429 and 503 also the reset of the rate limit. If a header has several values, the
 * longest delay is returned.
 *
 * A date is relative to the response's own `Date` header if there is one, so that clock skew does not matter; a date in
 * the past is no delay. Never throws.
 *
 * @param nowAt - epoch milliseconds; used for dates and instants when the response has no `Date` header
 * @param status - of the response; the `RateLimit` headers are read on 429 and 503 only
 * @see RFC 9110 section 10.2.3, gRPC proposal A6, IETF draft ratelimit-headers
 */
export function parseServerDelay(headers: HeaderSource, nowAt: number, status?: number): ServerDelay {
  const reader = readerOf(headers);
  const parsers = isLimited(status, reader) ? { ...PARSERS, ...RATE_LIMIT_PARSERS } : PARSERS;
  const instant = typeof nowAt === 'number' ? nowAt : Number.NaN; // any other would throw where dates are compared
  let answer = NOTHING;
  for (const [header, parse] of Object.entries(parsers)) {
    const values = valuesOf(reader, header);
    const asked = longest(values.map((value) => parse(value, { header, headers: reader, nowAt: instant })));
    if (asked === REFUSED) return { type: 'refused' };
    if (asked >= 0) return { type: 'delay', delayMs: asked };
    if (asked === MALFORMED) answer = { type: 'malformed', header, value: values.join(', ') };
  }
  const ofVendor =
    parsers === PARSERS
      ? ABSENT
      : longest(VENDOR_LIMITS.map((header) => vendorReset({ header, headers: reader, nowAt: instant })));
  return ofVendor >= 0 ? { type: 'delay', delayMs: ofVendor } : answer;
}

/** GitHub answers 403 when nothing remains; any other 403 is about rights, whatever its limits are. */
function isLimited(status: number | undefined, reader: HeaderReader): boolean {
  if (status !== 403) return status === 429 || status === 503;
  return valuesOf(reader, 'x-ratelimit-remaining').some((remaining) => Number(remaining) === 0);
}

function refusal(value: string): Asked {
  return value.toLowerCase() === 'false' ? REFUSED : ABSENT;
}

function vendorReset(context: ParseContext): Asked {
  return longest(valuesOf(context.headers, context.header).map((value) => resetIfUsedUp(value, context)));
}

/** Returns what an answer asks for. */
export function weightOf(answer: ServerDelay): Asked {
  return answer.type === 'delay' ? answer.delayMs : WEIGHTS[answer.type];
}

/** Returns the greatest; `-Infinity` of none. */
export function longest(asked: readonly Asked[]): Asked {
  return asked.reduce((most, one) => Math.max(most, one), -Infinity);
}

/** Looks through a plain object once, however many headers are asked for. What cannot be read has none. */
function readerOf(headers: HeaderSource): HeaderReader {
  try {
    const { get } = headers;
    if (typeof get === 'function') return (name) => get.call(headers, name);
    // Text has an entry for each letter. The first value of a name counts: it is the last one written.
    const entries = Object.entries(typeof headers === 'string' ? {} : headers).reverse();
    const given = entries.filter(([, value]) => value !== undefined);
    const values = new Map(given.map(([key, value]) => [key.toLowerCase(), value]));
    return (name) => values.get(name);
  } catch {
    return () => undefined;
  }
}

/** Returns no values if reading them throws. */
function valuesOf(read: HeaderReader, name: string): readonly string[] {
  try {
    const texts = [read(name)].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
    // The list of a `RateLimit` header is one value.
    return texts.map(String).flatMap((text) => (name === 'ratelimit' ? text : splitList(text)));
  } catch {
    return [];
  }
}

/** Splits at commas, by which `Headers` joins repeated headers, but not before the day of a date. */
function splitList(text: string): readonly string[] {
  return text.split(/,(?! *\d\d?[ -]\w{3}[ -])/).map((value) => value.trim());
}

/** Returns a count of units in milliseconds; one of hundreds of digits is a long delay, not a refusal. */
function delayOf(value: string, unitMs: number): Asked | undefined {
  return /^\d+(\.\d+)?$/.test(value) ? Math.min(Number(value) * unitMs, Number.MAX_VALUE) : undefined;
}

function milliseconds(value: string): Asked {
  return delayOf(value, 1) ?? MALFORMED;
}

function retryAfter(value: string, context: ParseContext): Asked {
  return seconds(value) ?? instantInText(value, context);
}

function seconds(value: string): Asked | undefined {
  return delayOf(value.replace(/^\+/, ''), 1_000);
}

function httpDate(value: string, context: ParseContext): Asked {
  // The `Date` header sets the century of a two-digit year, even if the local clock is wrong, and the other way round.
  const at = httpDateAt(value, sentAt(context));
  return at === undefined ? MALFORMED : until(at, sentAt(context, at));
}

/** Returns the instant of the response, by the `Date` header if there is one. */
function sentAt({ headers, nowAt }: ParseContext, nearAt = nowAt): number {
  const [date = ''] = valuesOf(headers, 'date');
  return httpDateAt(date, nearAt) ?? nowAt;
}

/**
 * The delay that a `RateLimit` header asks for: the longest `t` of the limits that are used up
 * (`"default";r=0;t=30`), or `reset` in the older form (`limit=100, remaining=0, reset=30`). A limit with something left asks for
 * nothing; one that does not say how much is left counts.
 */
function rateLimit(value: string): Asked {
  // A quotation without an end has no other beginning: a header of thousands of quotes is read once.
  const text = value.replace(/"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)/g, '');
  const limits = /\breset=/.test(text) ? [text] : text.split(',');
  const asking = limits.filter((limit) => !/\b(?:r|remaining)=0*[1-9]/.test(limit));
  return asking.length === 0 ? ABSENT : longestOf(asking);
}

function longestOf(limits: readonly string[]): Asked {
  return longest(limits.map((limit) => seconds(/\b(?:t|reset)=(\d+)/.exec(limit)?.[1] ?? '') ?? MALFORMED));
}

function reset(value: string, context: ParseContext): Asked {
  const asked = seconds(value);
  if (asked === undefined) return durationInText(value) ?? instantInText(value, context);
  if (asked < FIRST_INSTANT) return asked;
  return until(asked < FIRST_INSTANT_IN_MS ? asked : asked / 1_000, sentAt(context));
}

/** Reads a reset that many servers send with every response: it counts only if the limit is used up. */
function resetIfUsedUp(value: string, context: ParseContext): Asked {
  const left = valuesOf(context.headers, context.header.replace(/reset(-after)?/, 'remaining'));
  const isLeft = left.length > 0 && left.every((remaining) => Number(remaining) > 0);
  return isLeft ? ABSENT : reset(value, context);
}

/** Reads a duration as Go writes it: `6m0s`, `1.5s`, `17ms`. */
function durationInText(value: string): Asked | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[hms]))+$/.test(value)) return undefined;
  const parts = [...value.matchAll(/([\d.]+)(ms|[hms])/g)];
  return Math.min(
    parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0),
    Number.MAX_VALUE,
  );
}

/** Reads an instant as RFC 3339 or HTTP writes it. */
function instantInText(value: string, context: ParseContext): Asked {
  if (!/^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/i.test(value)) return httpDate(value, context);
  const at = Date.parse(value);
  return Number.isNaN(at) ? MALFORMED : until(at, sentAt(context));
}

function until(at: number, nowAt: number): Asked {
  return at > nowAt ? Math.min(at - nowAt, Number.MAX_VALUE) : ABSENT;
}

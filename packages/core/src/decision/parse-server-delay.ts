import type { ServerDelay } from './decision.ts';

/** Response headers: a fetch `Headers`, or a plain object with names in lower case (Node, axios). */
export type HeaderSource =
  | { readonly get: (name: string) => unknown }
  | Readonly<Record<string, string | readonly string[] | number | undefined>>;

type Parser = (
  value: string,
  clock: { readonly nowAt: number; readonly headers: HeaderSource },
) => ServerDelay | undefined;

/** The headers that speak about retrying, the most telling first. `undefined` from a parser is malformed. */
const PARSERS: Readonly<Record<string, Parser>> = {
  'x-should-retry': (value) => (value === 'false' ? { type: 'refused' } : { type: 'absent' }),
  // gRPC A6: a negative pushback, or one that cannot be read, means "do not retry".
  'grpc-retry-pushback-ms': (value) => milliseconds(value) ?? { type: 'refused' },
  'retry-after-ms': milliseconds,
  'x-ms-retry-after-ms': milliseconds,
  // The AWS SDKs for Java, .NET and Rust read it so.
  'x-amz-retry-after': milliseconds,
  'retry-after': (value, { nowAt, headers }) => seconds(value) ?? httpDate(value, headers, nowAt),
};

/**
 * What response headers say about when to come back: `x-should-retry`, `grpc-retry-pushback-ms`,
 * `retry-after-ms`, `x-ms-retry-after-ms`, `x-amz-retry-after` (milliseconds) and `Retry-After` (seconds or an
 * HTTP date).
 *
 * A date counts from the answer's own `Date` header where there is one, so that a skewed clock does not
 * matter; one in the past asks for nothing. Never throws on strings.
 *
 * @param nowAt - epoch milliseconds; only a date without a `Date` header needs it
 * @see RFC 9110 section 10.2.3, gRPC proposal A6
 */
export function parseServerDelay(headers: HeaderSource, nowAt: number): ServerDelay {
  let answer: ServerDelay = { type: 'absent' };
  for (const [header, parse] of Object.entries(PARSERS)) {
    const value = headerOf(headers, header);
    if (value === undefined) continue;
    const parsed = parse(value, { nowAt, headers }) ?? { type: 'malformed', header, value };
    if (parsed.type === 'malformed') answer = parsed;
    else if (parsed.type !== 'absent') return parsed;
  }
  return answer;
}

function headerOf(headers: HeaderSource, name: string): string | undefined {
  const value: unknown = typeof headers.get === 'function' ? headers.get(name) : own(headers, name);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'string' || typeof first === 'number' ? `${first}` : undefined;
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
  return /^\+?\d+$/.test(value) ? delay(Number(value) * 1_000) : undefined;
}

/** One of the three date forms of RFC 9110; all of them are in GMT, also the one that does not say so. */
function httpDate(value: string, headers: HeaderSource, nowAt: number): ServerDelay | undefined {
  const at = dateAt(value);
  if (at === undefined) return undefined;
  const delayMs = at - (dateAt(headerOf(headers, 'date') ?? '') ?? nowAt);
  return delayMs > 0 ? delay(delayMs) : { type: 'absent' };
}

/** The three forms of RFC 9110 section 5.6.7; only the last, which has no comma, does not name its zone: GMT. */
const DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(, \d\d \w{3} \d{4} T (GMT|[+-]\d{4})|[a-z]*day, \d\d-\w{3}-\d\d T GMT| \w{3} [ \d]\d T \d{4})$/;

/** `Date.parse` takes almost anything for a date, so the form is checked before. */
function dateAt(text: string): number | undefined {
  if (!DATE.test(text.replace(/\d\d:\d\d:\d\d/, 'T'))) return undefined;
  const at = Date.parse(text.includes(',') ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}

function delay(delayMs: number): ServerDelay {
  return { type: 'delay', delayMs };
}

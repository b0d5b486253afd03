import type { Context, SpanContext } from '@opentelemetry/api';
import { isSpanContextValid, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';

/** The longest context that a run carries, in bytes of UTF-8. */
const MAX_BYTES = 512;

/** The headers of W3C that are carried, in this order; a later one is left out where it finds no room. */
const HEADERS = ['traceparent', 'tracestate', 'baggage'] as const;

/**
 * Returns the text that a run carries of a context: the `traceparent`, and, each after a line feed, the `tracestate` and the `baggage`
 * where they fit into 512 bytes. `undefined` where the propagator of the program writes no `traceparent`.
 */
export function writeContext(context: Context): string | undefined {
  const carrier: Record<string, unknown> = {};
  propagation.inject(context, carrier);
  const [traceparent, tracestate, baggage] = HEADERS.map((name) => textOf(carrier[name]));
  if (traceparent === undefined || traceparent === '') return undefined;
  let text = traceparent;
  if (tracestate !== '' && fits(`${text}\n${tracestate}`)) text = `${text}\n${tracestate}`;
  else if (baggage !== '') text = `${text}\n`;
  if (baggage !== '' && fits(`${text}\n${baggage}`)) text = `${text}\n${baggage}`;
  return text.trimEnd();
}

/** Returns the context that a run carries; the root for a run without one, or with a text of the user's own. */
export function readContext(text: string | undefined): Context {
  if (text === undefined) return ROOT_CONTEXT;
  const values = text.split('\n');
  const carrier: Record<string, string> = {};
  for (const [index, name] of HEADERS.entries()) {
    const value = values[index];
    if (value !== undefined && value !== '') carrier[name] = value;
  }
  return propagation.extract(ROOT_CONTEXT, carrier);
}

/** Returns the `traceparent` of a span; `undefined` where there is none, as of a tracer without an SDK. */
export function writeSpanContext(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Returns the span that a text names, as a run or an attempt carries it. */
export function readSpanContext(text: string | undefined): SpanContext | undefined {
  return text === undefined ? undefined : trace.getSpanContext(readContext(text));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fits(text: string): boolean {
  return Buffer.byteLength(text) <= MAX_BYTES;
}

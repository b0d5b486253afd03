import type { RecordedSpan } from '../../../docs/pictures/trace.ts';
import type { ReceivedSpan } from '../collector.ts';

/** The attributes that the picture shows, or that say what a span is. */
const SHOWN = [
  'error.type',
  'retry.attempt',
  'retry.attempts',
  'retry.outcome',
  'retry.reason',
  'retry.delay_ms',
  'retry.delay_asked_by',
];

/** Returns the spans of the trace that begins with a span of this name, each below its parent, without what is drawn at random. */
export function recordTrace(spans: readonly ReceivedSpan[], name: string): readonly RecordedSpan[] {
  const root = spans.find((span) => span.name === name);
  if (root === undefined) throw new Error(`no span is called ${name}`);
  const ordered = withChildren(spans, root);
  const indexOf = (spanId: string | undefined): number => ordered.findIndex((span) => span.spanId === spanId);
  return ordered.map((span) => ({
    name: span.name,
    service: String(span.service),
    parent: indexOf(span.parentSpanId),
    fromMs: Math.round(span.startMs - root.startMs),
    toMs: Math.round(span.endMs - root.startMs),
    isError: span.isError,
    links: span.links.map(({ spanId, attributes }) => ({
      to: indexOf(spanId),
      kind: String(attributes['retry.link']),
    })),
    attributes: Object.fromEntries(
      SHOWN.flatMap((key) => (span.attributes[key] === undefined ? [] : [[key, span.attributes[key]]])),
    ),
  }));
}

function withChildren(spans: readonly ReceivedSpan[], span: ReceivedSpan): readonly ReceivedSpan[] {
  const children = spans
    .filter(({ parentSpanId }) => parentSpanId === span.spanId)
    .sort((a, b) => a.startMs - b.startMs);
  return [span, ...children.flatMap((child) => withChildren(spans, child))];
}

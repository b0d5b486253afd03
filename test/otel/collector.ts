import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An attribute's value, as OTLP writes it in JSON. */
interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** A span as it was received. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly {
    readonly spanId: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

/** A data point of a metric as it was received. */
export interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly value: number;
}

/** A collector that speaks OTLP over HTTP, in JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** Those of the latest export of each metric. */
  readonly points: () => readonly ReceivedPoint[];
  readonly close: () => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the exporter sends is read at a boundary, by the field names of OTLP
type Json = any;

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const points = new Map<string, readonly ReceivedPoint[]>();
  const server = createServer(async (request, response) => {
    const body: Json = JSON.parse(await readBody(request));
    if (request.url === '/v1/traces') spans.push(...readSpans(body));
    else for (const [name, read] of readMetrics(body)) points.set(name, read);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    points: () => [...points.values()].flat(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return text;
}

function readSpans(body: Json): readonly ReceivedSpan[] {
  return body.resourceSpans
    .flatMap(({ scopeSpans }: Json) => scopeSpans.flatMap(({ spans }: Json) => spans))
    .map((span: Json) => ({
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId || undefined,
      name: span.name,
      kind: span.kind,
      startMs: Number(span.startTimeUnixNano) / 1e6,
      endMs: Number(span.endTimeUnixNano) / 1e6,
      isError: span.status?.code === 2,
      attributes: readAttributes(span.attributes),
      links: (span.links ?? []).map((link: Json) => ({
        spanId: link.spanId,
        attributes: readAttributes(link.attributes),
      })),
    }));
}

function readMetrics(body: Json): ReadonlyMap<string, readonly ReceivedPoint[]> {
  const metrics: readonly Json[] = body.resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap((scope: Json) => scope.metrics),
  );
  return new Map(
    metrics.map((metric) => [
      metric.name,
      (metric.sum ?? metric.gauge ?? metric.histogram).dataPoints.map((point: Json) => ({
        metric: metric.name,
        unit: metric.unit,
        attributes: readAttributes(point.attributes),
        value: Number(point.asInt ?? point.asDouble ?? point.count),
      })),
    ]),
  );
}

function readAttributes(attributes: readonly KeyValue[] = []): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ??
        (value.intValue === undefined ? (value.doubleValue ?? value.boolValue) : Number(value.intValue)),
    ]),
  );
}

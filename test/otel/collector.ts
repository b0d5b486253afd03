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
  /** The name of the service that made it. */
  readonly service: unknown;
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
  /** The name of the service that measured it. */
  readonly service: unknown;
  readonly unit: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Of a histogram, how many values it has. */
  readonly value: number;
  /** Of a histogram, the sum of its values. */
  readonly sum?: number;
}

/** A collector that speaks OTLP over HTTP, in JSON. */
export interface Collector {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** Those of the latest export of each metric by each service. */
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
    else
      for (const read of readMetrics(body)) {
        const [{ service, metric } = {}] = read;
        points.set(`${service} ${metric}`, read);
      }
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
  return body.resourceSpans.flatMap(({ resource, scopeSpans }: Json) => {
    const service = readAttributes(resource.attributes)['service.name'];
    const spans = scopeSpans.flatMap((scope: Json) => scope.spans);
    return spans.map((span: Json) => ({
      service,
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
  });
}

/** Returns the points of each metric. */
function readMetrics(body: Json): readonly (readonly ReceivedPoint[])[] {
  return body.resourceMetrics.flatMap(({ resource, scopeMetrics }: Json) => {
    const service = readAttributes(resource.attributes)['service.name'];
    const metrics: readonly Json[] = scopeMetrics.flatMap((scope: Json) => scope.metrics);
    return metrics.map((metric) =>
      (metric.sum ?? metric.gauge ?? metric.histogram).dataPoints.map((point: Json) => ({
        ...{ service, metric: metric.name, unit: metric.unit },
        attributes: readAttributes(point.attributes),
        value: Number(point.asInt ?? point.asDouble ?? point.count),
        ...(point.count !== undefined && { sum: point.sum }),
      })),
    );
  });
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

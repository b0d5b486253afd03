/**
 * `npm run trace:otel`: a run across two processes over Redis, with the real SDK; prints the spans and metrics that a collector received as
 * tables. `-- --record` also keeps its trace for the picture of docs/opentelemetry.md, which `npm run pictures` draws.
 */
import { writeFileSync } from 'node:fs';
import { openRedis } from '../../support/servers/redis.ts';
import type { ReceivedPoint, ReceivedSpan } from '../collector.ts';
import type { Received } from './receive-trace.ts';
import { receiveTrace } from './receive-trace.ts';
import { recordTrace } from './record-trace.ts';

const redis = await openRedis();
const received = await receiveTrace(redis.url);
await redis.stop();
print(received);
if (process.argv.includes('--record')) {
  const file = new URL('../../../docs/pictures/trace.json', import.meta.url);
  writeFileSync(file, `${JSON.stringify(recordTrace(received.spans, 'request'), null, 2)}\n`);
}

function print({ spans, points }: Received): void {
  const startedMs = Math.min(...spans.map(({ startMs }) => startMs));
  const numbers = new Map(spans.map(({ spanId }, index) => [spanId, index + 1]));
  const rows = rowsOf(spans, undefined, 0).map(({ span, depth }) => ({
    span: '  '.repeat(depth) + span.name,
    id: numbers.get(span.spanId),
    service: span.service,
    'from ms': Math.round(span.startMs - startedMs),
    ms: Math.round(span.endMs - span.startMs),
    'linked to': span.links.map(({ spanId }) => numbers.get(spanId)).join(' '),
    status: span.isError ? 'ERROR' : '',
    attributes: textOf(span.attributes),
  }));
  printTable('Spans', rows);
  printTable('Metrics', points.map(rowOfPoint));
}

function rowsOf(
  spans: readonly ReceivedSpan[],
  parentId: string | undefined,
  depth: number,
): readonly { readonly span: ReceivedSpan; readonly depth: number }[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parentId)
    .sort((a, b) => a.startMs - b.startMs)
    .flatMap((span) => [{ span, depth }, ...rowsOf(spans, span.spanId, depth + 1)]);
}

function rowOfPoint({ metric, service, unit, value, sum, attributes }: ReceivedPoint): object {
  const amount =
    sum === undefined ? `${value} ${unit}` : `${value} × ${(sum / value).toPrecision(2)} ${unit}`;
  return { metric, service, value: amount, attributes: textOf(attributes) };
}

/** Attributes that say the same of each row are left out. */
function textOf(attributes: ReceivedSpan['attributes']): string {
  const shown = Object.entries(attributes).filter(
    ([key]) => !/^messaging\.(system|destination|operation|message)/.test(key),
  );
  return shown.map(([key, value]) => `${key}=${value}`).join(' ');
}

function printTable(title: string, rows: readonly object[]): void {
  const keys = Object.keys(rows[0] ?? {});
  const lines = [keys, ...rows.map((row) => keys.map((key) => `${Reflect.get(row, key) ?? ''}`))];
  const widths = keys.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  console.log(`\n${title}\n`);
  for (const cells of lines)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}

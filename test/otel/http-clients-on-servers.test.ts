import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/programs/start-program.ts';
import type { ReceivedSpan } from './collector.ts';
import { startCollector } from './collector.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/calling-http.ts', import.meta.url));
/** The kinds of OTLP, of spans that the instrumentations of HTTP make. */
const HTTP_KINDS: Readonly<Record<number, string>> = { 2: 'server', 3: 'client' };

/** Runs the program; returns each request as its server received it: the spans above it, outermost first. */
async function requestsOfProgram(spans: 'retried' | 'every'): Promise<readonly string[]> {
  const collector = await startCollector();
  const child = startProgram([FIXTURE, collector.url, spans]);
  expect((await once(child, 'exit'))[0]).toBe(0);
  await collector.close();
  const byId = new Map(collector.spans().map((span) => [span.spanId, span]));
  const pathOf = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parentSpanId ?? '');
    return parent === undefined ? labelOf(span) : `${pathOf(parent)} > ${labelOf(span)}`;
  };
  return [...byId.values()]
    .filter(({ kind }) => HTTP_KINDS[kind] === 'server')
    .sort((a, b) => a.startMs - b.startMs)
    .map(pathOf);
}

function labelOf({ kind, name, attributes }: ReceivedSpan): string {
  const { 'retry.attempt': attempt, 'http.request.resend_count': resent } = attributes;
  if (attempt !== undefined) return `${name} ${attempt}`;
  return `${HTTP_KINDS[kind] ?? name}${resent === undefined ? '' : ` resent ${resent}`}`;
}

describe('a request of an HTTP client that OpenTelemetry instruments', () => {
  it('is below its attempt from the first retry on, and says how often it was sent before', async () => {
    const ofCall = (name: string, call: string): readonly string[] => [
      `${name} > client > server`,
      `${name} > ${call} > attempt 2 > client resent 1 > server`,
      `${name} > ${call} > attempt 3 > client resent 2 > server`,
    ];

    expect(await requestsOfProgram('retried')).toEqual([
      ...ofCall('fetch', 'retry'),
      ...ofCall('retrying fetch', 'retry fetch'),
      ...ofCall('node:http', 'retry'),
    ]);
  });

  it('is below its attempt where every call has a span', async () => {
    const ofCall = (name: string, call: string): readonly string[] => [
      `${name} > ${call} > attempt 1 > client > server`,
      `${name} > ${call} > attempt 2 > client resent 1 > server`,
      `${name} > ${call} > attempt 3 > client resent 2 > server`,
    ];

    expect(await requestsOfProgram('every')).toEqual([
      ...ofCall('fetch', 'retry'),
      ...ofCall('retrying fetch', 'retry fetch'),
      ...ofCall('node:http', 'retry'),
    ]);
  });
});

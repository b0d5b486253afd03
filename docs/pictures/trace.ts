import { readFileSync } from 'node:fs';

const WIDTH = 720;
const ROW = 24;
const LEFT = 190;
const TOP = 34;
/** The part of the width that is left for the text beside the last bar. */
const MARGIN = 170;

/** A span of a recorded trace. */
export interface RecordedSpan {
  readonly name: string;
  /** The service whose process made it. */
  readonly service: string;
  /** The index of its parent; -1 of the first one. */
  readonly parent: number;
  /** When it began and ended, in ms since the first one began. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly isError: boolean;
  readonly links: readonly { readonly to: number; readonly kind: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Returns the trace that `npm run trace:otel -- --record` received. */
export function recordedTrace(): readonly RecordedSpan[] {
  return JSON.parse(readFileSync(new URL('trace.json', import.meta.url), 'utf8'));
}

/** Draws a trace as tools show it. */
export function drawTrace(spans: readonly RecordedSpan[]): string {
  const height = TOP + spans.length * ROW + 10;
  const endMs = Math.max(...spans.map(({ toMs }) => toMs));
  const xOf = (ms: number): number => LEFT + Math.round((ms / endMs) * (WIDTH - LEFT - MARGIN));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">`,
    '<title>the trace of a run whose first attempt failed, as a collector received it</title>',
    `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 } .note { font-size: 9px }
    .web { fill: #2da44e } .worker { fill: #54aeff } .error { fill: #cf222e } .axis { stroke: #8c959f }
    .link { stroke: #8250df; fill: none; stroke-dasharray: 3 2 }
  </style>`,
    `<text class="title" x="8" y="16">one trace, two processes, ${endMs} ms: submitted, failed, retried, completed</text>`,
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - 8}" y1="${TOP - 6}" y2="${TOP - 6}"/>`,
    ...spans.map((span, row) =>
      drawSpan(span, { row, depth: depthOf(spans, span), above: spans[span.parent], xOf }),
    ),
    ...spans.flatMap(({ links, fromMs }, row) =>
      links
        .filter(({ kind }) => kind === 'previous attempt')
        .map(({ to }) => drawLink({ row, x: xOf(fromMs) }, { row: to, x: xOf(spans[to]?.fromMs ?? 0) })),
    ),
    '</svg>',
    '',
  ].join('\n');
}

function depthOf(spans: readonly RecordedSpan[], { parent }: RecordedSpan): number {
  const above = spans[parent];
  return above === undefined ? 0 : depthOf(spans, above) + 1;
}

interface Place {
  readonly row: number;
  readonly depth: number;
  readonly above: RecordedSpan | undefined;
  readonly xOf: (ms: number) => number;
}

function drawSpan(span: RecordedSpan, { row, depth, above, xOf }: Place): string {
  const y = TOP + row * ROW;
  const width = Math.max(xOf(span.toMs) - xOf(span.fromMs), 2);
  return [
    `<text x="${8 + depth * 14}" y="${y + 12}">${span.name}</text>`,
    `<rect class="${span.isError ? 'error' : span.service}" x="${xOf(span.fromMs)}" y="${y + 2}" width="${width}" height="12"/>`,
    `<text class="note" x="${xOf(span.fromMs) + width + 6}" y="${y + 12}">${noteOf(span, above)}</text>`,
  ].join('\n  ');
}

/** What is written beside a span: the service where it is another one than that of the span above. */
function noteOf({ attributes, service }: RecordedSpan, above: RecordedSpan | undefined): string {
  const {
    'retry.attempt': attempt,
    'retry.attempts': attempts,
    'retry.outcome': outcome,
    'retry.delay_ms': delayMs,
    'error.type': error,
  } = attributes;
  const parts = [
    service === above?.service ? '' : `service ${service}`,
    attempt === undefined ? '' : `attempt ${attempt}`,
    attempts === undefined ? '' : `${attempts} attempts`,
    String(outcome ?? ''),
    String(error ?? ''),
    delayMs === undefined ? '' : `again in ${delayMs} ms`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

interface Point {
  readonly row: number;
  readonly x: number;
}

/** Draws the link from a later attempt to an earlier one. */
function drawLink(later: Point, earlier: Point): string {
  const [y, toY] = [TOP + later.row * ROW + 8, TOP + earlier.row * ROW + 14];
  return `<path class="link" d="M ${later.x} ${y} H ${earlier.x + 10} V ${toY}"/>`;
}

import type { Preview } from '@retry/core';
import { formatDuration } from '@retry/core';
import type { VNode } from 'preact';
import { ceilingOf, ticksOf } from './scale.ts';

interface CurveProps {
  readonly label: string;
  readonly curve: Preview;
  /** The highest delay of the picture; two curves share one, so that they can be compared. */
  readonly ceilingMs: number;
  readonly maxRetries: number;
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 56;
const TOP = 12;
const BASELINE = 172;

/** For each retry a bar from its shortest to its longest delay, with a line at the mean. */
export function Curve({ label, curve, ceilingMs, maxRetries }: CurveProps): VNode {
  const step = (WIDTH - LEFT - 8) / Math.max(maxRetries, 1);
  const ceiling = ceilingOf(ceilingMs);
  const y = (ms: number): number => BASELINE - (Math.min(ms, ceiling) / ceiling) * (BASELINE - TOP);
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={describe(label, curve)}>
      {ticksOf(ceiling).map((ms) => (
        <g key={ms}>
          <line class="grid" x1={LEFT} x2={WIDTH} y1={y(ms)} y2={y(ms)} />
          <text class="tick" x={LEFT - 8} y={y(ms) + 4} text-anchor="end">
            {formatDuration(ms)}
          </text>
        </g>
      ))}
      {curve.retries.map((retry) => (
        <Bar key={retry.retry} retry={retry} x={LEFT + (retry.retry - 1) * step} width={step} y={y} />
      ))}
      <text class="tick" x={WIDTH} y={HEIGHT - 2} text-anchor="end">
        retry
      </text>
    </svg>
  );
}

interface BarProps {
  readonly retry: Preview['retries'][number];
  readonly x: number;
  readonly width: number;
  readonly y: (ms: number) => number;
}

function Bar({ retry: { retry, delay, startsAfter }, x, width, y }: BarProps): VNode {
  const gap = Math.min(width * 0.15, 8);
  const top = y(delay.maxMs);
  const isLabelled = width > 16 || retry % 5 === 0;
  const title = `retry ${retry}: after ${rangeOf(delay)}, mean ${formatDuration(delay.meanMs)}; at the latest ${formatDuration(startsAfter.maxMs)} after the start`;
  return (
    <g class="bar">
      <title>{title}</title>
      <rect class="hit" x={x} y={TOP} width={width} height={BASELINE - TOP} />
      <rect x={x + gap} y={top} width={width - gap * 2} height={Math.max(y(delay.minMs) - top, 2)} rx="2" />
      <line class="mean" x1={x + gap} x2={x + width - gap} y1={y(delay.meanMs)} y2={y(delay.meanMs)} />
      {isLabelled ? (
        <text class="tick" x={x + width / 2} y={BASELINE + 16} text-anchor="middle">
          {retry}
        </text>
      ) : null}
    </g>
  );
}

function describe(label: string, { retries }: Preview): string {
  const delays = retries.slice(0, 10).map(({ delay }) => rangeOf(delay));
  return `${label}: delays before each retry: ${delays.join(', ') || 'none'}`;
}

function rangeOf({ minMs, maxMs }: { readonly minMs: number; readonly maxMs: number }): string {
  return minMs === maxMs ? formatDuration(minMs) : `${formatDuration(minMs)} to ${formatDuration(maxMs)}`;
}

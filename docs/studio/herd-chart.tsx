import type { Spread } from '@retry/core/simulate';
import type { VNode } from 'preact';
import type { Herd } from './engine/herd.ts';
import { ticksOf } from './scale.ts';

interface HerdChartProps {
  readonly label: string;
  readonly herd: Herd;
  /** The highest rate of the picture, shared by the charts of one simulation. */
  readonly ceiling: number;
}

const WIDTH = 640;
const HEIGHT = 200;
const LEFT = 56;
const TOP = 12;
const BASELINE = 172;

interface Scales {
  readonly x: (second: number) => number;
  readonly y: (perSecond: number) => number;
}

/** Attempts a second (its band holds 90 % of the seeds) and calls that succeed, with the trouble and the capacity. */
export function HerdChart({ label, herd, ceiling }: HerdChartProps): VNode {
  const seconds = Math.max(herd.load.length - 1, 1);
  const x = (second: number): number => LEFT + (second / seconds) * (WIDTH - LEFT - 8);
  const y = (rate: number): number => BASELINE - (Math.min(rate, ceiling) / ceiling) * (BASELINE - TOP);
  const [from, until] = [x(herd.troubleFromMs / 1_000), x(herd.troubleUntilMs / 1_000)];
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${label}: ${herd.advice}`}>
      <rect class="trouble" x={from} y={TOP} width={Math.max(until - from, 0)} height={BASELINE - TOP} />
      <text class="tick" x={from + 4} y={TOP + 12}>
        trouble
      </text>
      <Grid ceiling={ceiling} seconds={seconds} x={x} y={y} />
      <line class="capacity" x1={LEFT} x2={WIDTH - 8} y1={y(herd.capacity)} y2={y(herd.capacity)} />
      <polygon class="load-band" points={bandOf(herd.load, { x, y })} />
      <polyline class="load" points={lineOf(herd.load, { x, y })} />
      <polyline class="goodput" points={lineOf(herd.goodput, { x, y })} />
    </svg>
  );
}

function Grid({ ceiling, seconds, x, y }: Scales & { ceiling: number; seconds: number }): VNode {
  const times = [0, Math.round(seconds / 2), seconds];
  return (
    <g>
      {ticksOf(ceiling).map((rate) => (
        <g key={rate}>
          <line class="grid" x1={LEFT} x2={WIDTH - 8} y1={y(rate)} y2={y(rate)} />
          <text class="tick" x={LEFT - 8} y={y(rate) + 4} text-anchor="end">
            {`${rate}/s`}
          </text>
        </g>
      ))}
      {times.map((second) => (
        <text
          class="tick"
          key={second}
          x={x(second)}
          y={HEIGHT - 8}
          text-anchor={second === seconds ? 'end' : 'middle'}
        >
          {`${second}s`}
        </text>
      ))}
    </g>
  );
}

function lineOf(spreads: readonly Spread[], { x, y }: Scales): string {
  return spreads.map(({ median }, second) => `${x(second)},${y(median)}`).join(' ');
}

function bandOf(spreads: readonly Spread[], { x, y }: Scales): string {
  const upper = spreads.map(({ p95 }, second) => `${x(second)},${y(p95)}`);
  const lower = spreads.map(({ p5 }, second) => `${x(second)},${y(p5)}`);
  return [...upper, ...lower.reverse()].join(' ');
}

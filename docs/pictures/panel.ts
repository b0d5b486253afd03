import type { Policy } from '@retry/core';
import { formatDuration, preview } from '@retry/core';

const WIDTH = 150;
const HEIGHT = 110;
const LEFT = 8;
const BASELINE = 92;
const TOP = 22;

/** Size of one panel in SVG units. */
export const panelSize: { readonly width: number; readonly height: number } = {
  width: WIDTH,
  height: HEIGHT,
};

/** Draws one policy: for each retry a bar from its lowest to its highest delay, with a tick at the mean. */
export function drawPanel(title: string, policy: Policy, ceilingMs: number): string {
  const { retries } = preview(policy);
  const step = (WIDTH - LEFT * 2) / Math.max(retries.length, 1);
  const height = (ms: number): number => round((Math.min(ms, ceilingMs) / ceilingMs) * (BASELINE - TOP));
  const bars = retries.map(({ delay }, index) => {
    const x = round(LEFT + index * step + 1);
    const width = round(step - 2);
    const top = BASELINE - height(delay.maxMs);
    const bottom = BASELINE - height(delay.minMs);
    const mean = BASELINE - height(delay.meanMs);
    return [
      `<rect class="range" x="${x}" y="${round(top)}" width="${width}" height="${round(Math.max(bottom - top, 1))}"/>`,
      `<line class="mean" x1="${x}" x2="${round(x + width)}" y1="${round(mean)}" y2="${round(mean)}"/>`,
    ].join('');
  });
  return [
    `<text class="title" x="${LEFT}" y="14">${title}</text>`,
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - LEFT}" y1="${BASELINE}" y2="${BASELINE}"/>`,
    ...bars,
    `<text class="note" x="${LEFT}" y="105">retry 1 to ${retries.length}, top ${formatDuration(ceilingMs)}</text>`,
  ].join('\n  ');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

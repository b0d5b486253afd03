import type { Policy } from '@retry/core';
import { definePolicy, formatDuration, preview, TASK_POLICY } from '@retry/core';
import { http, network } from '@retry/core/errors';

/** The policies of docs/which-policy.md, in its order. */
const SITUATIONS: readonly (readonly [title: string, policy: Policy])[] = [
  ['single run', definePolicy({ maxAttempts: 1 })],
  ['call', definePolicy({ retryOn: [...network, ...http], totalTimeout: '10s' })],
  ['task', definePolicy(TASK_POLICY)],
  [
    'critical',
    definePolicy({
      ...TASK_POLICY,
      maxAttempts: 25,
      backoff: { type: 'exponential', base: '10s' },
      maxDelay: '6h',
    }),
  ],
];

const MARKS = [100, 1_000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 86_400_000, 604_800_000];

const SIZE = { width: 640, left: 80, right: 24, row: 30, top: 28 };

/** The axis starts at a tenth of a second; earlier starts are drawn at its left edge. */
const [FIRST_MARK = 100] = MARKS;
const LAST_MARK = MARKS.at(-1) ?? FIRST_MARK;

/**
 * Draws when each attempt starts, for each situation: a bar from the earliest to the latest start of each
 * retry, and a tick at its mean. The axis is logarithmic.
 */
export function drawCumulative(): string {
  const height = SIZE.top + SITUATIONS.length * SIZE.row + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${height}" viewBox="0 0 ${SIZE.width} ${height}">`,
    '<title>When each attempt starts, by policy</title>',
    `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 } .note { font-size: 9px }
    .range { fill: #54aeff; opacity: 0.45 } .mean { stroke: #0a3069; stroke-width: 2 } .axis { stroke: #d0d7de }
  </style>`,
    ...MARKS.map((ms) => drawMark(ms, height)),
    ...SITUATIONS.map(([title, policy], index) => drawRow(title, policy, SIZE.top + index * SIZE.row)),
    '</svg>',
    '',
  ].join('\n');
}

function drawMark(ms: number, height: number): string {
  const at = x(ms);
  return (
    `<line class="axis" x1="${at}" x2="${at}" y1="${SIZE.top - 8}" y2="${height - 20}"/>` +
    `<text class="note" text-anchor="middle" x="${at}" y="${height - 8}">${formatDuration(ms)}</text>`
  );
}

function drawRow(title: string, policy: Policy, top: number): string {
  const { retries, total } = preview(policy);
  const bars = retries.map(({ startsAfter }) => {
    const [from, mean, to] = [x(startsAfter.minMs), x(startsAfter.meanMs), x(startsAfter.maxMs)];
    return [
      `<rect class="range" x="${from}" y="${top + 4}" width="${round(Math.max(to - from, 1))}" height="12"/>`,
      `<line class="mean" x1="${mean}" x2="${mean}" y1="${top + 2}" y2="${top + 18}"/>`,
    ].join('');
  });
  const note = `${retries.length + 1} attempts, ${formatDuration(Math.round(total.maxMs))} at most`;
  return [
    `<text class="title" x="8" y="${top + 10}">${title}</text>`,
    `<text class="note" x="8" y="${top + 21}">${retries.length + 1} ×</text>`,
    `<g><title>${title}: ${note}</title><line class="mean" x1="${SIZE.left}" x2="${SIZE.left}" y1="${top + 2}" y2="${top + 18}"/>${bars.join('')}</g>`,
  ].join('\n');
}

function x(ms: number): number {
  const share = Math.log(Math.max(ms, FIRST_MARK) / FIRST_MARK) / Math.log(LAST_MARK / FIRST_MARK);
  return round(SIZE.left + Math.min(share, 1) * (SIZE.width - SIZE.left - SIZE.right));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

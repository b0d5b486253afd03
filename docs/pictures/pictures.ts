import { readFileSync } from 'node:fs';
import type { BackoffInput, JitterInput, PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import { drawBenchmarks } from './benchmarks.ts';
import { drawCumulative } from './cumulative.ts';
import { drawPanel, panelSize } from './panel.ts';
import { drawStorms } from './storms.ts';
import { drawTrace, recordedTrace } from './trace.ts';

const JITTERS: readonly (readonly [string, JitterInput])[] = [
  ['none', 'none'],
  ['full', 'full'],
  ['equal', 'equal'],
  ['bounded', 'bounded'],
  ['proportional 0.2', { proportional: 0.2 }],
  ['up 0.5', { up: 0.5 }],
  ['plus 2 s', { plus: '2s' }],
];

const BACKOFFS: Readonly<Record<string, BackoffInput>> = {
  constant: { type: 'constant', base: '2s' },
  linear: { type: 'linear', base: '1s' },
  exponential: { type: 'exponential', base: '100ms' },
  polynomial: { type: 'polynomial', base: '100ms', exponent: 2 },
  fibonacci: { type: 'fibonacci', base: '200ms' },
  list: { type: 'list', delays: ['500ms', '1s', '2s', '5s'] },
};

const CEILING_MS = 10_000;

const STYLE = `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 } .note { font-size: 9px }
    .range { fill: #54aeff } .mean { stroke: #0a3069; stroke-width: 2 } .axis { stroke: #8c959f }
  </style>`;

/** Every picture of docs/policies.md, docs/which-policy.md, docs/storms.md, docs/opentelemetry.md and docs/benchmarks.md by its file name. */
export function drawPictures(): ReadonlyMap<string, string> {
  const byBackoff = Object.entries(BACKOFFS).map(([name, backoff]): [string, string] => {
    const panels = JITTERS.map(([title, jitter]) => panel(title, { backoff, jitter }));
    return [`${name}.svg`, drawRow(`${name} backoff, each jitter`, panels)];
  });
  const decorrelated = panel('decorrelated', { backoff: { type: 'decorrelated', base: '100ms' } });
  const exponential: BackoffInput = { type: 'exponential', base: '1s' };
  const caps = (['before-jitter', 'after-jitter', 'ignores-jitter'] as const).map((capAt) =>
    panel(capAt, { backoff: exponential, jitter: 'bounded', maxDelay: '5s', capAt }),
  );
  return new Map([
    ...byBackoff,
    ['decorrelated.svg', drawRow('decorrelated backoff', [decorrelated])],
    ['cap-at.svg', drawRow('bounded jitter, each capAt', caps)],
    ['cumulative.svg', drawCumulative()],
    ...drawStorms(),
    ['trace.svg', drawTrace(recordedTrace())],
    [
      'benchmarks.svg',
      drawBenchmarks(readFileSync(new URL('../benchmarks-all.md', import.meta.url), 'utf8')),
    ],
  ]);
}

function panel(title: string, input: PolicyInput): string {
  return drawPanel(title, definePolicy({ maxAttempts: 11, maxDelay: CEILING_MS, ...input }), CEILING_MS);
}

function drawRow(title: string, panels: readonly string[]): string {
  const { width, height } = panelSize;
  const groups = panels.map(
    (drawn, index) => `<g transform="translate(${index * width} 0)">\n  ${drawn}\n</g>`,
  );
  const size = `width="${width * panels.length}" height="${height}" viewBox="0 0 ${width * panels.length} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size}>`,
    `<title>${title}</title>`,
    STYLE,
    ...groups,
    '</svg>',
    '',
  ].join('\n');
}

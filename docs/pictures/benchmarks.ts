import type { Figure } from '../headlines.ts';
import { throughputs } from '../headlines.ts';

const SIZE = { width: 640, left: 230, right: 70, row: 20, group: 30, top: 8 };

/** Draws the runs per second of each queue as bars of one scale, those of each server together. */
export function drawBenchmarks(all: string): string {
  const groups = [...throughputs(all)];
  const most = Math.max(...groups.flatMap(([, figures]) => figures.map(({ value }) => value)));
  const lines: string[] = [];
  let y = SIZE.top;
  for (const [server, figures] of groups) {
    lines.push(`<text class="title" x="8" y="${y + 14}">${server}</text>`);
    y += SIZE.group - 6;
    for (const [index, figure] of figures.entries()) {
      lines.push(drawBar(figure, { y, most, isOurs: index === 0 }));
      y += SIZE.row;
    }
    y += SIZE.group - SIZE.row;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${y}" viewBox="0 0 ${SIZE.width} ${y}">`,
    '<title>runs per second by each queue, 100 at a time</title>',
    `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 }
    .ours { fill: #0969da } .other { fill: #8c959f }
  </style>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

function drawBar(
  { name, shown, value }: Figure,
  { y, most, isOurs }: { readonly y: number; readonly most: number; readonly isOurs: boolean },
): string {
  const width = Math.round((value / most) * (SIZE.width - SIZE.left - SIZE.right));
  return (
    `<text text-anchor="end" x="${SIZE.left - 8}" y="${y + 11}">${name}</text>` +
    `<rect class="${isOurs ? 'ours' : 'other'}" x="${SIZE.left}" y="${y + 1}" width="${width}" height="13"/>` +
    `<text x="${SIZE.left + width + 6}" y="${y + 11}">${shown}</text>`
  );
}

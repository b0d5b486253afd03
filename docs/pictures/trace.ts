const WIDTH = 720;
const ROW = 24;
const LEFT = 190;
const TOP = 34;

/** A bar of the picture: a span, by its name, depth and instants in ms. */
interface Bar {
  readonly name: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  readonly note: string;
  readonly isError?: boolean;
}

/** What the test of two processes prints, with instants that can be seen. */
const BARS: readonly Bar[] = [
  { name: 'request', depth: 0, from: 0, to: 120, note: 'the web process' },
  { name: 'send mail', depth: 1, from: 40, to: 90, note: 'its context travels with the run' },
  { name: 'process mail', depth: 2, from: 150, to: 300, note: 'error.type=RangeError', isError: true },
  { name: 'settle mail', depth: 3, from: 300, to: 330, note: 'retried, in 200 ms' },
  { name: 'process mail', depth: 2, from: 540, to: 720, note: 'linked to the attempt before' },
  { name: 'settle mail', depth: 3, from: 720, to: 750, note: 'completed' },
];

const END_MS = 1_000;

/** Draws the trace of a run whose first attempt failed, as tools show it. */
export function drawTrace(): string {
  const height = TOP + BARS.length * ROW + 10;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">`,
    '<title>the trace of a run whose first attempt failed</title>',
    `<style>
    text { font: 11px system-ui, sans-serif; fill: #57606a } .title { font-weight: 600 } .note { font-size: 9px }
    .span { fill: #54aeff } .error { fill: #cf222e } .axis { stroke: #8c959f } .link { stroke: #8250df; fill: none; stroke-dasharray: 3 2 }
  </style>`,
    '<text class="title" x="8" y="16">one trace, two processes: submitted, failed, retried, completed</text>',
    `<line class="axis" x1="${LEFT}" x2="${WIDTH - 8}" y1="${TOP - 6}" y2="${TOP - 6}"/>`,
    ...BARS.map(drawBar),
    drawLink(2, 4),
    '</svg>',
    '',
  ].join('\n');
}

function drawBar({ name, depth, from, to, note, isError = false }: Bar, row: number): string {
  const y = TOP + row * ROW;
  const width = xOf(to) - xOf(from);
  return [
    `<text x="${8 + depth * 14}" y="${y + 12}">${name}</text>`,
    `<rect class="${isError ? 'error' : 'span'}" x="${xOf(from)}" y="${y + 2}" width="${width}" height="12"/>`,
    `<text class="note" x="${xOf(to) + 6}" y="${y + 12}">${note}</text>`,
  ].join('\n  ');
}

/** Draws the link from a later attempt to an earlier one. */
function drawLink(earlier: number, later: number): string {
  const [before, after] = [BARS[earlier], BARS[later]];
  if (before === undefined || after === undefined) return '';
  const [x, y] = [xOf(after.from), TOP + later * ROW + 2];
  const [toX, toY] = [xOf(before.from) + 10, TOP + earlier * ROW + 14];
  return `<path class="link" d="M ${x} ${y + 6} H ${toX} V ${toY}"/>`;
}

function xOf(ms: number): number {
  return LEFT + Math.round((ms / END_MS) * (WIDTH - LEFT - 8));
}

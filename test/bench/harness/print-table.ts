import { printMarkdown, say, short } from '../report.ts';
import { median, quantile } from '../rounds.ts';
import type { Targets } from '../targets/target.ts';
import { isMet } from '../targets/target.ts';
import type { Sample } from './samples.ts';

/** Who is compared, and what was measured in each round. */
export interface Line {
  readonly label: string;
  readonly samples: (Sample | undefined)[];
  readonly problems: Set<string>;
}

/** Our own lines that the others are compared with, by the labels of a suite. */
export interface Ours {
  readonly defaults: string;
  readonly best: string;
}

/** What is printed of a table. */
interface Printed {
  readonly title: string;
  readonly unit: string;
  /** Whether what a run costs comes before the rate. @default false */
  readonly costsFirst?: boolean;
  readonly targets?: Targets | undefined;
}

/** The label of bare statements, which do the least that the work takes. */
const BARE = 'bare';

type Read = (sample: Sample) => number | undefined;
type Column = readonly [name: string, cell: (line: Line) => string];

/** Prints a table, and below it what a run costs where there are targets for that. */
export function printTable(
  table: Printed,
  lines: readonly Line[],
  { ours, rounds }: { readonly ours: Ours; readonly rounds: number },
): void {
  const byLabel = (label: string): Line | undefined => lines.find((line) => line.label === label);
  const [defaults, best, bare] = [byLabel(ours.defaults), byLabel(ours.best), byLabel(BARE)];
  const title = `${table.title}${rounds === 1 ? ' (one round)' : ` (${rounds} rounds)`}`;
  const ratio = (line: Line): number[] => ratiosOf(defaults, line, rateOf);
  const { cpu, wal } = table.targets ?? {};
  const cpuRatio = (line: Line): number[] => ratiosOf(defaults, line, cpuOf);
  const costs: readonly Column[] = [
    ['CPU s/10 000, client', (line) => medianOf(line, ({ clientCpu }) => clientCpu)],
    ['server', (line) => medianOf(line, ({ serverCpu }) => serverCpu)],
    ['WAL B/run', (line) => medianOf(line, ({ wal }) => wal)],
  ];
  const rates: readonly Column[] = [
    [table.unit, (line) => medianOf(line, rateOf)],
    ['p99', (line) => medianOf(line, ({ p99 }) => p99)],
    [
      'our defaults ÷ it',
      (line) => (line === best ? '' : rangeOf(ratio(line), ![undefined, line].includes(defaults))),
    ],
    ...columnsOf(table.targets?.rates, ratio),
    [
      'our best ÷ it',
      (line) =>
        line === defaults ? '' : rangeOf(ratiosOf(best, line, rateOf), ![undefined, line].includes(best)),
    ],
    ['of bare', (line) => (bare === undefined ? '' : middleOf(ratiosOf(line, bare, rateOf)))],
  ];
  const together: readonly Column[] = [
    ['CPU s/10 000', (line) => medianOf(line, cpuOf)],
    ['our defaults ÷ it', (line) => rangeOf(cpuRatio(line), line !== defaults)],
    ...columnsOf(cpu, cpuRatio),
  ];
  if (table.costsFirst === true) printColumns(title, lines, [...together, ...rates, ...costs]);
  else printColumns(title, lines, [...rates, ...costs]);
  for (const { label, problems } of lines)
    for (const problem of problems) say(`\n${label}: a sample failed: ${problem}`);
  if (table.costsFirst === true || (cpu === undefined && wal === undefined)) return;
  const walRatio = (line: Line): number[] => ratiosOf(defaults, line, ({ wal: bytes }) => bytes);
  printColumns(
    `${title}: what a run costs, our defaults ÷ it`,
    lines.filter(({ label }) => [cpu, wal].some((targets) => targets?.[label] !== undefined)),
    [
      ['CPU, client and server', (line) => rangeOf(cpuRatio(line), true)],
      ...columnsOf(cpu, cpuRatio),
      ['WAL', (line) => rangeOf(walRatio(line), true)],
      ...columnsOf(wal, walRatio),
    ],
  );
}

function printColumns(title: string, lines: readonly Line[], columns: readonly Column[]): void {
  const filled = columns.filter(([, cell]) => lines.some((line) => cell(line) !== ''));
  printMarkdown(
    title,
    ['', ...filled.map(([name]) => name)],
    lines.map((line) => [line.label, ...filled.map(([, cell]) => cell(line))]),
  );
}

/** The target of each line, and whether the median of its ratios meets it. */
function columnsOf(targets: Targets['rates'], ratios: (line: Line) => readonly number[]): readonly Column[] {
  if (targets === undefined) return [];
  return [
    ['target', ({ label }) => targets[label] ?? ''],
    ['met', (line) => isMet(targets[line.label], ratios(line))],
  ];
}

function rateOf({ value }: Sample): number {
  return value;
}

function cpuOf({ clientCpu, serverCpu }: Sample): number | undefined {
  return clientCpu === undefined || serverCpu === undefined ? undefined : clientCpu + serverCpu;
}

/** Each ratio is taken within a round; none of a line with itself. */
function ratiosOf(upper: Line | undefined, lower: Line, read: Read): number[] {
  if (upper === undefined || upper === lower) return [];
  const of = (sample: Sample | undefined): number =>
    (sample === undefined ? undefined : read(sample)) ?? Number.NaN;
  return upper.samples
    .map((sample, round) => of(sample) / of(lower.samples[round]))
    .filter((ratio) => !Number.isNaN(ratio));
}

function rangeOf(ratios: readonly number[], isExpected: boolean): string {
  if (ratios.length === 0) return isExpected ? '–' : '';
  if (ratios.length === 1) return middleOf(ratios);
  return `${middleOf(ratios)} [${short(quantile(ratios, 0))}..${short(quantile(ratios, 1))}]`;
}

function middleOf(ratios: readonly number[]): string {
  return ratios.length === 0 ? '' : short(median(ratios));
}

function medianOf(line: Line, read: Read): string {
  const values = line.samples.flatMap((sample) => (sample === undefined ? [] : (read(sample) ?? [])));
  return values.length === 0 ? '' : short(median(values));
}

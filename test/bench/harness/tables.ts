import { isWanted, printMarkdown, roundsOr, say, short } from '../report.ts';
import { median, quantile } from '../rounds.ts';
import { endActors } from './actors.ts';
import type { Sample, Stage } from './samples.ts';
import type { BenchServer } from './server.ts';

/** One line of a table. */
export interface Entry {
  /** The contender, as test/bench/queues/contenders.ts calls it. */
  readonly contender: string;
  /** @default the contender */
  readonly label?: string;
  readonly take: (stage: Stage, count: number) => Promise<Sample>;
}

/** A workload, and everybody who does it. */
export interface Table {
  readonly title: string;
  /** `runs/s` and the like are better when higher, `ms` when lower. */
  readonly unit: string;
  readonly entries: readonly Entry[];
  /** @default 5 */
  readonly rounds?: number;
  /** A count for all; else each takes as many runs as the sample before says fit in half a second. */
  readonly count?: number;
  /** The most that fit. @default 100 000 */
  readonly most?: number;
}

/** Our own lines that the others are compared with, by the labels of a suite. */
export interface Ours {
  readonly defaults: string;
  readonly best: string;
}

/** The labels of bare statements, which do the least that the work takes. */
const BARE = 'bare';
/** How long a sample takes, about. */
const SAMPLE_MS = 350;
const FIRST_COUNT = 600;
const LEAST_COUNT = 200;
const MOST = 100_000;
/**
 * A process is warm when it has worked for seconds, in any table, and a sample is hardly faster than the one before; it lives long in
 * production. A contender of one table would else be measured while its code is compiled, beside others that ran in every table.
 */
const HARDLY = 1.2;
const WARM_MS = 4_000;
const MOST_WARM_UPS = 24;

/** For how long the process of a contender has worked. */
const workedMs = new Map<string, number>();

interface Line {
  readonly entry: Entry;
  readonly label: string;
  readonly samples: (Sample | undefined)[];
  readonly problems: Set<string>;
}

/** Takes the samples of a table in rounds, each in another order, and prints it. */
export async function compare(server: BenchServer, ours: Ours, table: Table): Promise<void> {
  if (!isWanted(table.title)) return;
  const lines = table.entries.map(
    (entry): Line => ({ entry, label: entry.label ?? entry.contender, samples: [], problems: new Set() }),
  );
  const rounds = roundsOr(table.rounds ?? 5);
  const counts: number[] = [];
  for (const line of lines) counts.push(table.count ?? (await warmUp(server, line, table)));
  for (let round = 0; round < rounds; round += 1) {
    for (const index of rotated(lines.length, round)) {
      const [line, count = 0] = [lines[index], counts[index]];
      if (line === undefined) continue;
      const sample = await takeSafely(server, line, count);
      line.samples.push(sample);
      counts[index] = table.count ?? nextCount(sample, count, table);
    }
  }
  print(table, lines, { ours, rounds });
}

/** Takes samples that are not shown; returns how many runs the first that is shown should have. */
async function warmUp(server: BenchServer, line: Line, table: Table): Promise<number> {
  let count = leastOf(table, FIRST_COUNT);
  for (let tries = 0; tries < MOST_WARM_UPS; tries += 1) {
    const before = count;
    count = nextCount(await takeSafely(server, line, count), count, table);
    if (count <= before * HARDLY && (workedMs.get(line.entry.contender) ?? 0) >= WARM_MS) break;
  }
  return count;
}

function nextCount(last: Sample | undefined, count: number, table: Table): number {
  if (last?.ms === undefined) return count;
  const fitting = Math.max((count * SAMPLE_MS) / last.ms, leastOf(table, LEAST_COUNT));
  return Math.round(Math.min(fitting, table.most ?? MOST));
}

/** Few runs are enough where payloads are large. */
function leastOf({ most = MOST }: Table, least: number): number {
  return Math.min(least, Math.round(most / 5));
}

async function takeSafely(server: BenchServer, line: Line, count: number): Promise<Sample | undefined> {
  const { contender, take } = line.entry;
  try {
    const sample = await take({ server, contender }, count);
    workedMs.set(contender, (workedMs.get(contender) ?? 0) + (sample.ms ?? 0));
    return sample;
  } catch (error) {
    endActors(contender); // it may still be at work
    workedMs.delete(contender);
    line.problems.add(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    return undefined;
  }
}

function rotated(length: number, round: number): readonly number[] {
  const order = Array.from({ length }, (_, index) => (index + round) % length);
  return round % 2 === 0 ? order : order.reverse();
}

/** Each ratio is taken within a round: our line divided by the other. */
function ratioTo(line: Line, our: Line | undefined): string {
  if (our === undefined || our === line) return '';
  const ratios = our.samples
    .map((sample, round) => (sample?.value ?? Number.NaN) / (line.samples[round]?.value ?? Number.NaN))
    .filter((ratio) => !Number.isNaN(ratio));
  if (ratios.length === 0) return '–';
  if (ratios.length === 1) return short(median(ratios));
  return `${short(median(ratios))} [${short(quantile(ratios, 0))}..${short(quantile(ratios, 1))}]`;
}

function print(table: Table, lines: readonly Line[], { ours, rounds }: { ours: Ours; rounds: number }): void {
  const byLabel = (label: string): Line | undefined => lines.find((line) => line.label === label);
  const [defaults, best, bare] = [byLabel(ours.defaults), byLabel(ours.best), byLabel(BARE)];
  const medianOf = (line: Line, read: (sample: Sample) => number | undefined): number | undefined => {
    const values = line.samples.flatMap((sample) => (sample === undefined ? [] : (read(sample) ?? [])));
    return values.length === 0 ? undefined : median(values);
  };
  const shown = (value: number | undefined): string => (value === undefined ? '' : short(value));
  const columns: readonly (readonly [string, (line: Line) => string])[] = [
    [table.unit, (line) => shown(medianOf(line, ({ value }) => value))],
    ['p99', (line) => shown(medianOf(line, ({ p99 }) => p99))],
    ['our defaults ÷ it', (line) => (line === best ? '' : ratioTo(line, defaults))],
    ['our best ÷ it', (line) => (line === defaults ? '' : ratioTo(line, best))],
    ['of bare', (line) => shareOf(line, bare)],
    ['CPU s/10 000, client', (line) => shown(medianOf(line, ({ clientCpu }) => clientCpu))],
    ['server', (line) => shown(medianOf(line, ({ serverCpu }) => serverCpu))],
    ['WAL B/run', (line) => shown(medianOf(line, ({ wal }) => wal))],
  ];
  const filled = columns.filter(([, cell]) => lines.some((line) => cell(line) !== ''));
  printMarkdown(
    `${table.title}${rounds === 1 ? ' (one round)' : ` (${rounds} rounds)`}`,
    ['', ...filled.map(([name]) => name)],
    lines.map((line) => [line.label, ...filled.map(([, cell]) => cell(line))]),
  );
  for (const { label, problems } of lines)
    for (const problem of problems) say(`\n${label}: a sample failed: ${problem}`);
}

function shareOf(line: Line, bare: Line | undefined): string {
  if (bare === undefined || bare === line) return '';
  const shares = line.samples
    .map((sample, round) => (sample?.value ?? Number.NaN) / (bare.samples[round]?.value ?? Number.NaN))
    .filter((share) => !Number.isNaN(share));
  return shares.length === 0 ? '–' : short(median(shares));
}

import { isWanted, roundsOr } from '../report.ts';
import type { Targets } from '../targets/target.ts';
import { endActors } from './actors.ts';
import type { Line, Ours } from './print-table.ts';
import { printTable } from './print-table.ts';
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
  /** Whether what a run costs comes before the rate. @default false */
  readonly costsFirst?: boolean;
  /** @default 5 */
  readonly rounds?: number;
  /** A count for all; else each takes as many runs as the sample before says fit into a sample. */
  readonly count?: number;
  /** The most that fit. @default 100 000 */
  readonly most?: number;
  /** How long a sample takes, about. @default 600 */
  readonly sampleMs?: number;
  /** What our defaults are to reach beside the others. @default nothing */
  readonly targets?: Targets | undefined;
}

const SAMPLE_MS = 600;
const FIRST_COUNT = 600;
const LEAST_COUNT = 200;
const MOST = 100_000;
/**
 * A process is warm when it has worked for seconds as this table wants it, on so many runs in any, and a sample is hardly faster than
 * the one before; it lives long in production. V8 compiles by how often code has run: what one run takes of a processor falls by half
 * within the first 20 000 of them, of every library that is written in JavaScript.
 */
const HARDLY = 1.2;
const WARM_MS = 2_500;
const WARM_RUNS = 20_000;
const MOST_WARM_UPS = 40;

/**
 * Just before each sample a part of it, which is not shown: others took theirs for seconds, and an idle process loses what was warm, by
 * V8 and by a system that reclaims pages. Without this a worker took 0.032 s of a processor for 10 000 runs, or 0.050 s, by turns.
 */
const ROUSING = 3;

/** On how many runs the process of a contender has worked. */
const workedRuns = new Map<string, number>();

/** A line, and who takes its samples. */
interface Entered extends Line {
  readonly entry: Entry;
}

/** Takes the samples of a table in rounds, each in another order, and prints it. */
export async function compare(server: BenchServer, ours: Ours, table: Table): Promise<void> {
  if (!isWanted(table.title)) return;
  const lines = table.entries.map(
    (entry): Entered => ({ entry, label: entry.label ?? entry.contender, samples: [], problems: new Set() }),
  );
  const rounds = roundsOr(table.rounds ?? 5);
  const counts: number[] = [];
  for (const line of lines) counts.push(table.count ?? (await warmUp(server, line, table)));
  for (let round = 0; round < rounds; round += 1) {
    for (const index of rotated(lines.length, round)) {
      const [line, count = 0] = [lines[index], counts[index]];
      if (line === undefined) continue;
      if (table.count === undefined) await takeSafely(server, line, Math.ceil(count / ROUSING));
      const sample = await takeSafely(server, line, count);
      line.samples.push(sample);
      counts[index] = table.count ?? nextCount(sample, count, table);
    }
  }
  printTable(table, lines, { ours, rounds });
}

/** Takes samples that are not shown; returns how many runs the first that is shown should have. */
async function warmUp(server: BenchServer, line: Entered, table: Table): Promise<number> {
  let count = leastOf(table, FIRST_COUNT);
  let workedMs = 0;
  for (let tries = 0; tries < MOST_WARM_UPS; tries += 1) {
    const before = count;
    const sample = await takeSafely(server, line, count);
    workedMs += sample?.ms ?? 0;
    count = nextCount(sample, count, table);
    const isWarm = workedMs >= WARM_MS && (workedRuns.get(line.entry.contender) ?? 0) >= WARM_RUNS;
    if (isWarm && count <= before * HARDLY) break;
  }
  return count;
}

function nextCount(last: Sample | undefined, count: number, table: Table): number {
  if (last?.ms === undefined) return count;
  const fitting = Math.max((count * (table.sampleMs ?? SAMPLE_MS)) / last.ms, leastOf(table, LEAST_COUNT));
  return Math.round(Math.min(fitting, table.most ?? MOST));
}

/** Few runs are enough where payloads are large. */
function leastOf({ most = MOST }: Table, least: number): number {
  return Math.min(least, Math.round(most / 5));
}

async function takeSafely(server: BenchServer, line: Entered, count: number): Promise<Sample | undefined> {
  const { contender, take } = line.entry;
  try {
    const sample = await take({ server, contender }, count);
    workedRuns.set(contender, (workedRuns.get(contender) ?? 0) + count);
    return sample;
  } catch (error) {
    endActors(contender); // it may still be at work
    workedRuns.delete(contender);
    line.problems.add(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    return undefined;
  }
}

function rotated(length: number, round: number): readonly number[] {
  const order = Array.from({ length }, (_, index) => (index + round) % length);
  return round % 2 === 0 ? order : order.reverse();
}

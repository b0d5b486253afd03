/** A function to time: created once, run many times. */
export interface Row {
  readonly name: string;
  /** The timed function; a promise is awaited before the next run. */
  readonly run: () => unknown;
}

/** The result of one row over all rounds; a ratio is to the first row of the same round. */
export interface Result {
  readonly name: string;
  readonly median: number;
  readonly q25: number;
  readonly q75: number;
  readonly ratio: number;
  /** The least and the greatest ratio. */
  readonly ratios: readonly [number, number];
  /** Where the median of endless rounds is, in 95 of 100 cases. */
  readonly likely: readonly [number, number];
}

/** Processor time does not depend on other processes; code that waits for timers is measured by wall time. */
export type Stopwatch = 'cpu' | 'wall';

interface Timing {
  readonly rounds: number;
  /** @default 'cpu' */
  readonly stopwatch?: Stopwatch;
  /** The minimum time of one row in one round, in milliseconds. @default 20 */
  readonly sampleMs?: number;
}

type Batch = (runs: number) => unknown;

/**
 * Times the rows in rounds, each round in a new order, so that what disturbs the machine disturbs every row.
 *
 * Written here rather than taken from mitata: its `measure` times one function after the other, and what is
 * wanted is the rounds around it, with a ratio that is taken inside each of them.
 *
 * @returns nanoseconds for one run of each row, in the order of the rows
 */
export async function timeInRounds(rows: readonly Row[], timing: Timing): Promise<readonly Result[]> {
  const { rounds, stopwatch = 'cpu', sampleMs = 20 } = timing;
  const timers: (() => Promise<number>)[] = [];
  for (const row of rows) {
    const batch = await makeBatch(row);
    const runs = await countRuns(batch, sampleMs);
    timers.push(async () => ((await timeBatch(batch, runs, stopwatch)) / runs) * 1e6);
  }
  return inRounds(rows, rounds, (index) => timers[index]?.() ?? Number.NaN);
}

/** Takes one number of each row per round, in a new order each time; the first row is the measure of the rest. */
export async function inRounds(
  rows: readonly { readonly name: string }[],
  rounds: number,
  take: (index: number) => number | Promise<number>,
): Promise<readonly Result[]> {
  const samples = rows.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const index of shuffled(rows.length)) samples[index]?.push(await take(index));
  }
  const floor = samples[0] ?? [];
  return rows.map(({ name }, index) => {
    const values = samples[index] ?? [];
    const ratios = values.map((value, round) => value / (floor[round] ?? Number.NaN));
    const [q25, median, q75] = [quantile(values, 0.25), quantile(values, 0.5), quantile(values, 0.75)];
    const range = [quantile(ratios, 0), quantile(ratios, 1)] as const;
    return {
      ...{ name, median, q25, q75, ratio: quantile(ratios, 0.5) },
      ratios: range,
      likely: likelyMedian(ratios),
    };
  });
}

/** A loop of the row's own, named by a comment: a shared one would be compiled for all rows at once. */
async function makeBatch({ name, run }: Row): Promise<Batch> {
  const first = run();
  await first;
  const body =
    first instanceof Promise
      ? 'async (runs) => { for (let i = 0; i < runs; i += 1) await run(); }'
      : '(runs) => { let last; for (let i = 0; i < runs; i += 1) last = run(); return last; }';
  return new Function('run', `/* ${name} */ return ${body}`)(run);
}

/** Warms up, and finds how many runs fill a sample. */
async function countRuns(batch: Batch, sampleMs: number): Promise<number> {
  let runs = 1;
  while ((await timeBatch(batch, runs, 'wall')) < sampleMs * 2) runs *= 2;
  return Math.max(Math.round(runs / 2), 1);
}

/** Milliseconds, by either stopwatch. */
async function timeBatch(batch: Batch, runs: number, stopwatch: Stopwatch): Promise<number> {
  const startedAt = performance.now();
  const startedCpu = process.cpuUsage();
  await batch(runs);
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(startedCpu);
  return stopwatch === 'wall' ? wallMs : (user + system) / 1_000;
}

function shuffled(length: number): readonly number[] {
  const keys = Array.from({ length }, (_, index) => ({ index, key: Math.random() }));
  return keys.sort((one, other) => one.key - other.key).map(({ index }) => index);
}

/** The value below which this share of the values is; 0 is the least, 1 the greatest. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.round((sorted.length - 1) * share)] ?? Number.NaN;
}

/**
 * Returns the values between which the true median is, in 95 of 100 cases, whatever their distribution.
 *
 * @see https://en.wikipedia.org/wiki/Order_statistic, confidence intervals for quantiles
 */
function likelyMedian(values: readonly number[]): readonly [number, number] {
  const sorted = [...values].sort((one, other) => one - other);
  const first = Math.max(Math.floor(sorted.length / 2 - 0.98 * Math.sqrt(sorted.length)), 0);
  return [sorted[first] ?? Number.NaN, sorted[sorted.length - 1 - first] ?? Number.NaN];
}

/** The middle value. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

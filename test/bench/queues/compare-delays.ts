import type { Contender } from './contender.ts';
import { latency, lateness } from './scenarios.ts';

/** The contents of one table; each row is measured once per round. */
export type Rows = readonly { readonly name: string; readonly take: () => Promise<number> }[];

/** Prints one table. */
export type Compare = (title: string, unit: string, rows: Rows) => Promise<void>;

type Measure = (one: Contender) => Promise<readonly number[]>;

/** The tables of latency and lateness, each as its median and its 99th percentile. */
export async function compareDelays(contenders: readonly Contender[], compare: Compare): Promise<void> {
  const rowsOf = (measure: Measure, share: number): Rows =>
    contenders.map((one) => ({ name: one.name, take: async () => quantile(await measure(one), share) }));
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    const latencies = rowsOf((one) => latency(one, 300, 100), share);
    await compare(`latency at 100 runs/s, ${name}`, 'ms', latencies);
    const delays = rowsOf((one) => lateness(one, 500), share);
    await compare(`delay, lateness ${name}`, 'ms', delays);
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

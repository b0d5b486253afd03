import { definePolicy, TASK_POLICY } from '@retry/core';
import { expect } from 'vitest';
import { readText } from '../../support/repository.ts';
import type { QueueFigures, QueueWorld } from './simulate-queue.ts';
import { simulateQueue } from './simulate-queue.ts';

/** Half of the work that the slots can do; with the retries of the outage, a quarter more than they can. */
const WORLD: QueueWorld = {
  policy: definePolicy(TASK_POLICY),
  slots: 20,
  handlerMs: 50,
  perSecond: 200,
  durationMs: 240_000,
  outage: { fromMs: 10_000, untilMs: 130_000, share: 0.5, times: 3 },
  retryShare: 1,
};

const SEEDS = [1, 2, 3, 4, 5];

/** The median of each figure over the seeds, as the documentation has it. */
function rowOf(world: QueueWorld): string {
  const figures = SEEDS.map((seed) => simulateQueue(world, seed));
  const median = (key: keyof QueueFigures): number =>
    figures.map((one) => one[key]).sort((one, other) => one - other)[2] ?? 0;
  const { format } = new Intl.NumberFormat('fr', { maximumFractionDigits: 0 });
  const p99 = format(median('firstP99Ms')).replaceAll('\u202f', ' ');
  return `${p99} ms | ${median('goodputPerSecond').toFixed(0)} | ${(median('recoveredMs') / 1_000).toFixed(0)} s |`;
}

/** The rows of the table in docs/storms.md: how each begins, and its world where that is another one. */
export const ROWS = {
  quiet: ['| no outage |', { outage: { ...WORLD.outage, share: 0 } }],
  'without a share': ['| none: one line |', {}],
  'with half': ['| `retryShare: 0.5` |', { retryShare: 0.5 }],
  'with a fifth': ['| `retryShare: 0.2` |', { retryShare: 0.2 }],
  'with a tenth': ['| `retryShare: 0.1` |', { retryShare: 0.1 }],
  'with a twentieth': ['| `retryShare: 0.05` |', { retryShare: 0.05 }],
} as const satisfies Readonly<Record<string, readonly [label: string, changed: Partial<QueueWorld>]>>;

/** Expects of the documentation what this world simulates. */
export function expectRow(name: keyof typeof ROWS): void {
  const [label, changed] = ROWS[name];
  const row = readText('docs/storms.md')
    .split('\n')
    .find((line) => line.startsWith(label));

  expect(row).toBe(`${label} ${rowOf({ ...WORLD, ...changed })}`);
}

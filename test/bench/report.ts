import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Result } from './rounds.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, json: { type: 'string' } },
});

/** The number of rounds of a table: `--rounds 31`, else the default. */
export function roundsOr(usual: number): number {
  return Number(values.rounds ?? usual);
}

/** The number of rounds of rows that take milliseconds. */
export const rounds = roundsOr(15);

/** Returns whether a table is selected by its first word, `npm run bench -- inprocess happy`; by default all are. */
export function isWanted(title: string): boolean {
  return positionals.length === 0 || positionals.some((word) => title.startsWith(word));
}

/** Prints one table, then one line of JSON for each of its rows, also to the file of `--json`. */
export function printTable(title: string, unit: string, results: readonly Result[]): void {
  console.log(`\n${title} (${unit}; Node ${process.version})`);
  console.table(
    Object.fromEntries(
      results.map(({ name, median, q25, q75, ratio }) => [
        name,
        { median: short(median), quartiles: `${short(q25)}..${short(q75)}`, ratio: `x ${short(ratio)}` },
      ]),
    ),
  );
  for (const { name, ratio } of results) {
    if (name.endsWith('(ceiling)'))
      console.log(`share of the ceiling (${name.slice(0, -10)}): ${short(1 / ratio)}`);
  }
  for (const result of results) {
    const line = JSON.stringify({ title, unit, node: process.version, ...result });
    console.log(line);
    if (values.json !== undefined) appendFileSync(values.json, `${line}\n`);
  }
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

import { appendFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Result } from './rounds.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, json: { type: 'string' } },
});

/** How often every row of a table is taken: `--rounds 31`, else as often as is usual. */
export function roundsOr(usual: number): number {
  return Number(values.rounds ?? usual);
}

/** How often rows that take milliseconds are taken. */
export const rounds = roundsOr(15);

/** Whether a table was asked for by its first word, `npm run bench -- inprocess happy`; without any, all are. */
export function isWanted(title: string): boolean {
  return positionals.length === 0 || positionals.some((word) => title.startsWith(word));
}

/** Prints one table, then one line of JSON for each of its rows, also into the file that `--json` names. */
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

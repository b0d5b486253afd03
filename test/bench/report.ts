import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import type { Result } from './rounds.ts';
import type { Target } from './targets/target.ts';
import { isMet } from './targets/target.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    only: { type: 'string', multiple: true },
    full: { type: 'boolean' },
    node: { type: 'string' },
    write: { type: 'string' },
  },
});

/** Whether the largest workloads are wanted at their full size. */
export const isFull: boolean = values.full === true;

/** The number of rounds of a table: `--rounds 31`, else the default. */
export function roundsOr(usual: number): number {
  return values.rounds === undefined ? usual : Math.max(1, Number(values.rounds));
}

/** The number of rounds of rows that take milliseconds. */
export const rounds = roundsOr(15);

/** Returns whether a table is selected, `--only "20 KB"`; by default all are. */
export function isWanted(title: string): boolean {
  return values.only === undefined || values.only.some((text) => title.includes(text));
}

const said: string[] = [];

/** Prints a text, and keeps it for `--write`. */
export function say(text: string): void {
  console.log(text);
  said.push(text);
}

/** Prints when, where and by which versions the tables below were made. */
export function printHeader(suite: string, versions: readonly string[]): void {
  const given = process.argv.slice(2).filter((arg, index, all) => ![arg, all[index - 1]].includes('--write'));
  const args = given.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg));
  const date = new Date().toISOString().slice(0, 10);
  say(`${date}, \`npm run bench -- ${[suite, ...args].join(' ')}\``);
  say(`on ${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}:`);
  say(`${[`Node ${process.versions.node}`, ...versions].join(', ')}.`);
  process.on('exit', (code) => {
    console.log(`\n${Math.round(performance.now() / 1_000)} s.`);
    if (values.write !== undefined && code === 0) writeInto(values.write, suite);
  });
}

/** Replaces what stands between `<!-- suite -->` and `<!-- /suite -->` in a file. */
function writeInto(path: string, suite: string): void {
  const [begin, end] = [`<!-- ${suite} -->`, `<!-- /${suite} -->`];
  const text = readFileSync(path, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${path} has no ${begin} with an ${end} after it.`);
  writeFileSync(path, `${text.slice(0, from + begin.length)}\n\n${said.join('\n')}\n\n${text.slice(to)}`);
}

/**
 * Prints one table with the median and quartiles of each row, and its ratio to the first row in the same round.
 *
 * @param targets - of the ratios, by the names of rows
 */
export function printTable(
  title: string,
  unit: string,
  results: readonly Result[],
  targets?: Readonly<Record<string, Target>>,
): void {
  printMarkdown(
    title,
    ['', unit, 'quartiles', 'ratio', ...(targets === undefined ? [] : ['target', 'met'])],
    results.map(({ name, median, q25, q75, ratio, ratios }, index) => [
      name,
      short(median),
      `${short(q25)}..${short(q75)}`,
      index === 0 ? '' : `${short(ratio)} [${ratios.map(short).join('..')}]`,
      ...(targets === undefined ? [] : [targets[name] ?? '', isMet(targets[name], [ratio])]),
    ]),
  );
}

/** Prints one table as Markdown, its columns aligned. */
export function printMarkdown(
  title: string,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${columns
      .map((_, index) => cells[index] ?? '')
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(Math.max(width - 1, 1))}:`)).join(' | ')} |`;
  say(`\n**${title}**\n\n${[line(columns), rule, ...rows.map(line)].join('\n')}`);
}

/** Three digits. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '–';
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString('en').replaceAll(',', ' ')
    : value.toPrecision(3);
}

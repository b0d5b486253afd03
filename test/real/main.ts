/**
 * `npm run score`: how many decisions about errors of real drivers and clients are right, of `test/real`.
 * `npm run score -- FOLDER`: of the records of another folder of this layout (`errors/*.jsonl`, `clients/*.json`).
 * `npm run score -- FOLDER --all`: with the name of each that is not.
 */
import { fileURLToPath } from 'node:url';
import { type Score, scoreClients, scoreScenes } from './score.ts';

const given = process.argv.slice(2);
const isListed = given.includes('--all');
const folder =
  given.find((argument) => !argument.startsWith('--')) ?? fileURLToPath(new URL('.', import.meta.url));

function print(title: string, scores: readonly Score[]): void {
  const rows = scores.map((score) => [score.file, rowOf(score)] as const);
  const counts = rows.map(([, row]) => row);
  const keys = Object.keys(counts[0] ?? {}) as (keyof (typeof counts)[number])[]; // each row has the same
  const sums = Object.fromEntries(
    keys.map((key) => [key, counts.reduce((sum, row) => sum + (row[key] ?? 0), 0)]),
  );
  console.log(title);
  console.table({ ...Object.fromEntries(rows), ALL: sums });
  if (!isListed) return;
  for (const { file, lists } of scores) {
    for (const [kind, names] of Object.entries(lists))
      for (const name of names) console.log(`${kind}\t${file}\t${name}`);
  }
}

function rowOf({ right, lists, delays }: Score) {
  return {
    right,
    missed: lists.missed.length,
    wrong: lists.wrong.length,
    ...(delays === undefined && { repeated: lists.repeated.length, careful: lists.careful.length }),
    ...(delays !== undefined && {
      delays,
      'delays missed': lists.delayMissed.length,
      'not there': lists.delayNowhere.length,
    }),
  };
}

print('Errors of drivers', scoreScenes(folder));
print('Errors of clients', scoreClients(folder));

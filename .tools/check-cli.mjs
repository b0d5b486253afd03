/** The program `retry` as its users install it: it works on bare Node without a server, and is small. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { report, run } from './run.mjs';
import { readJson } from './workspace.mjs';

/**
 * Bytes on the disk of the package and everything that is installed with it, without drivers of servers. A quarter of a megabyte
 * of it is the options of a hundred other systems.
 */
const MAX_BYTES = 2.5 * 2 ** 20;

/** @param folder - a project that has `@retry/cli` installed */
export function checkCli(folder) {
  const program = join(folder, 'node_modules', '.bin', 'retry');
  report('retry prints the table of a preview', () => {
    const args = ['preview', '{"maxAttempts":5}'];
    const { code, stdout, output } = run(program, args, { cwd: folder, shell: process.platform === 'win32' });
    const rows = stdout.split('\n').filter((line) => /^ +[1-5] /.test(line));
    return code === 0 && rows.length === 5 && stdout.includes('Worst case: 5 attempts in 1.5s')
      ? { code }
      : { code: 1, output };
  });
  checkStart(join(folder, 'node_modules', '@retry', 'cli', 'dist', 'main.js'));
  report('retry is small', () => {
    const names = listInstalled(folder, '@retry/cli');
    const sizes = names.map((name) => [name, sizeOf(join(folder, 'node_modules', name))]);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    if (bytes <= MAX_BYTES) return { code: 0 };
    return { code: 1, output: [`${bytes} bytes, more than ${MAX_BYTES}:`, ...sizes.map(String)].join('\n') };
  });
}

/** How much later than bare Node `--help` may end. It loads no more than the parser: with all commands it would be far above. */
const MAX_START_MS = 150;

const PAIRS = 15;

/** Starts bare Node and the program in turns, so that what disturbs the machine disturbs both. */
function checkStart(program) {
  const differences = Array.from({ length: PAIRS }, () => {
    const [bare, help] = [
      ['-e', '0'],
      [program, '--help'],
    ].map((args) => timeOf(() => run(process.execPath, args)));
    return help - bare;
  }).sort((one, other) => one - other);
  const median = differences[(PAIRS - 1) / 2];
  const range = `${differences[0].toFixed(0)}..${differences.at(-1).toFixed(0)}`;
  // A busy machine adds to most pairs: the quicker ones are judged.
  const quick = differences[(PAIRS - 3) / 4];
  report(`retry --help takes ${median.toFixed(0)} ms more than bare Node [${range}]`, () => ({
    code: quick <= MAX_START_MS ? 0 : 1,
    output: `At most ${MAX_START_MS} ms are accepted.`,
  }));
}

function timeOf(work) {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** A package and everything that it needs. */
function listInstalled(folder, name, found = new Set()) {
  if (found.has(name)) return [...found];
  found.add(name);
  const { dependencies = {} } = readJson(join(folder, 'node_modules', name, 'package.json'));
  for (const needed of Object.keys(dependencies)) listInstalled(folder, needed, found);
  return [...found];
}

function sizeOf(path) {
  const stats = lstatSync(path);
  if (!stats.isDirectory()) return stats.size;
  return readdirSync(path).reduce((sum, entry) => sum + sizeOf(join(path, entry)), 0);
}

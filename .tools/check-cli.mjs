/** The program `retry` as its users install it: it works on bare Node without a server, and is small. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { report, run } from './run.mjs';
import { readJson } from './workspace.mjs';

/** Bytes on the disk of the package and everything that is installed with it, without drivers of servers. */
const MAX_BYTES = 2 * 1024 * 1024;

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
  report('retry is small', () => {
    const names = listInstalled(folder, '@retry/cli');
    const sizes = names.map((name) => [name, sizeOf(join(folder, 'node_modules', name))]);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    if (bytes <= MAX_BYTES) return { code: 0 };
    return { code: 1, output: [`${bytes} bytes, more than ${MAX_BYTES}:`, ...sizes.map(String)].join('\n') };
  });
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

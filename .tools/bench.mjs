/**
 * `npm run bench -- inprocess`: runs a benchmark of test/bench, bundled as users would bundle it, because a
 * TypeScript loader adds to the functions that are to be measured. Timings are printed, never judged.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { run } from './run.mjs';
import { root } from './workspace.mjs';

const suites = ['core', 'inprocess', 'broker', 'results', 'redis', 'postgres'];
const [suite, ...args] = process.argv.slice(2);
if (!suites.includes(suite)) {
  console.error(`There is no benchmark called ${suite}. Use npm run bench -- ${suites.join(' | ')}.`);
  process.exit(1);
}

const source = join(root, 'test', 'bench');
const folder = mkdtempSync(join(root, 'node_modules', '.bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

buildSync({
  entryPoints: readdirSync(source)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(source, file)),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  // Drivers and peers read files beside them; they are found from the folder below node_modules.
  external: ['redis', 'ioredis', 'bullmq', 'bee-queue', 'pg', 'pg-boss', 'graphile-worker'],
  bundle: true,
  format: 'esm',
  target: 'node20',
  platform: 'node',
});
const { code } = run(process.execPath, ['--expose-gc', join(folder, `${suite}.mjs`), ...args], {
  show: true,
});
process.exitCode = code;

/** What a user's bundle grows by: each import bundled, minified and gzipped, beside its limit. */
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { root } from './workspace.mjs';

/**
 * Gzipped bytes. Over `limit` is a failure: it is what was reached, rounded up, and goes down with each
 * saving. `goal` is where it is to go.
 */
const rows = [
  {
    name: 'computeDelay + decide',
    code: "export { computeDelay, decide } from '@retry/core'",
    limit: 2_600,
    goal: 2_048,
  },
  {
    name: 'definePolicy + computeDelay + decide',
    code: "export { computeDelay, decide, definePolicy } from '@retry/core'",
    limit: 6_100,
    goal: 2_048,
  },
  { name: '@retry/core, all', code: "export * from '@retry/core'", limit: 12_600, goal: 4_096 },
  { name: 'withRetry', code: "export { withRetry } from '@retry/inprocess'", limit: 10_600, goal: 2_560 },
  { name: '@retry/inprocess, all', code: "export * from '@retry/inprocess'", limit: 17_700, goal: 5_120 },
];

const measured = rows.map((row) => ({ ...row, ...measure(row.code) }));
console.table(
  Object.fromEntries(
    measured.map(({ name, minified, gzipped, limit, goal }) => [name, { minified, gzipped, limit, goal }]),
  ),
);
for (const { name, gzipped, limit } of measured.filter((row) => row.gzipped > row.limit)) {
  console.error(`FAIL ${name}: ${gzipped} bytes gzipped, over its limit of ${limit}.`);
  process.exitCode = 1;
}

function measure(code) {
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
  });
  const [{ contents }] = outputFiles;
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length };
}

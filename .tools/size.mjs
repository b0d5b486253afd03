/**
 * `npm run size`: by how much an import grows a user's bundle, minified and gzipped, with its limit.
 * `npm run size -- parts`: the parts of `withRetry`. `npm run size -- peers`: the sizes of other libraries.
 */
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { root } from './workspace.mjs';

/**
 * Gzipped bytes. Above `limit` is a failure: the limit is the size that was reached, rounded up, and is lowered after
 * each saving. `goal` is the target.
 */
const rows = [
  {
    name: 'computeDelay + decide',
    code: "export { computeDelay, decide } from '@retry/core'",
    limit: 5_500,
    goal: 2_048,
  },
  {
    name: 'definePolicy + computeDelay + decide',
    code: "export { computeDelay, decide, definePolicy } from '@retry/core'",
    limit: 10_490,
    goal: 2_048,
  },
  { name: '@retry/core, all', code: "export * from '@retry/core'", limit: 15_960, goal: 4_096 },
  {
    name: 'withRetry of slim',
    code: "export { withRetry } from '@retry/inprocess/slim'",
    limit: 9_990,
    goal: 2_560,
  },
  { name: 'withRetry', code: "export { withRetry } from '@retry/inprocess'", limit: 15_590, goal: 2_560 },
  { name: '@retry/inprocess, all', code: "export * from '@retry/inprocess'", limit: 18_130, goal: 5_120 },
  {
    name: '@retry/inprocess and its broker',
    code: "export * from '@retry/inprocess'; export * from '@retry/inprocess/broker'",
    limit: 26_170,
    goal: 5_120,
  },
];

const PEERS = [
  { name: 'es-toolkit retry', code: "export { retry } from 'es-toolkit'" },
  { name: '@lifeomic/attempt', code: "export { retry } from '@lifeomic/attempt'" },
  { name: 'retry', code: "export { operation } from 'retry'" },
  { name: 'p-retry', code: "export { default } from 'p-retry'" },
  { name: 'async-retry', code: "export { default } from 'async-retry'" },
  {
    name: 'cockatiel: retry, backoff',
    code: "export { ExponentialBackoff, handleAll, retry } from 'cockatiel'",
  },
  {
    name: 'cockatiel: retry, backoff, timeout',
    code: "export { ExponentialBackoff, handleAll, retry, timeout, wrap } from 'cockatiel'",
  },
  { name: 'exponential-backoff', code: "export { backOff } from 'exponential-backoff'" },
];

/** Without limits, for the comparison. */
const OURS = rows
  .filter(({ name }) => name.startsWith('withRetry'))
  .map(({ name, code }) => ({ name, code }));

/** The parts of `withRetry` by file; the first match counts. */
const PARTS = [
  ['core: reading a policy', /core\/src\/(policy\/|fields\/|duration|show|errors|hide-secrets)/],
  ['core: eight backoffs, five jitters, caps', /core\/src\/delay\//],
  ['core: matchers of classes, patterns and causes', /core\/src\/(matching\/|read\.)/],
  ["core: a server's delay, from headers and dates", /core\/src\/decision\/server-delay/],
  ['core: the decision, and errors that mark it', /core\/src\/(decision\/|markers)/],
  ['checking the options', /call\/(check-options|option-rules)\./],
  ['opening a call, nested or not', /call\/(open|plan)\./],
  ['the loop: attempts, waits, abort', /call\/(run|call)\./],
  ['deciding what follows a failure', /call\/decide\./],
  ['attempt timeout and total timeout', /call\/timeouts\./],
  ['hooks and their events', /call\/hooks\./],
  ['history and retryInfo', /call\/history\./],
  ['time/: clock, abort hub', /inprocess\/src\/time\//],
  ['the entry', /inprocess\/src\//],
];

const [mode] = process.argv.slice(2);
if (mode === 'peers') printRows([...PEERS, ...OURS]);
else if (mode === 'parts') console.table(listParts("export { withRetry } from '@retry/inprocess'"));
else judge();

function judge() {
  for (const { name, gzipped, limit } of printRows(rows)) {
    if (gzipped <= limit) continue;
    console.error(`FAIL ${name}: ${gzipped} bytes gzipped, over its limit of ${limit}.`);
    process.exitCode = 1;
  }
}

function printRows(listed) {
  const measured = listed.map(({ name, code, ...limits }) => ({ name, ...measure(code), ...limits }));
  console.table(Object.fromEntries(measured.map(({ name, ...figures }) => [name, figures])));
  return measured;
}

function measure(code) {
  const { contents } = bundle(code);
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length };
}

/** Returns the minified bytes of each part, and its share of the gzipped ones. */
function listParts(code) {
  const { contents, inputs } = bundle(code);
  const ratio = gzipSync(contents, { level: 9 }).length / contents.length;
  const sums = Object.fromEntries(PARTS.map(([part]) => [part, 0]));
  for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
    const part = PARTS.find(([, files]) => files.test(path))?.[0];
    if (part !== undefined) sums[part] += bytesInOutput;
  }
  return Object.fromEntries(
    Object.entries(sums).map(([part, minified]) => [
      part,
      { minified, gzipped: Math.round(minified * ratio) },
    ]),
  );
}

function bundle(code) {
  const { outputFiles, metafile } = buildSync({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outfile: 'bundle.js',
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
  });
  const [{ contents }] = outputFiles;
  const [{ inputs }] = Object.values(metafile.outputs);
  return { contents, inputs };
}

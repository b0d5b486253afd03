/**
 * `npm run size`: what a user's bundle grows by, each import bundled, minified and gzipped, beside its limit.
 * `npm run size -- parts` says where the bytes of `withRetry` are, `npm run size -- peers` what others add.
 */
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { root } from './workspace.mjs';

const ALL_BUT_THE_BROKER =
  'createRetryBudget, createRetryGroup, retry, retryInfo, retryIterable, tryRetry, withRetry';

/**
 * Gzipped bytes. Over `limit` is a failure: it is what was reached, rounded up, and goes down with each
 * saving. `goal` is where it is to go.
 */
const rows = [
  {
    name: 'computeDelay + decide',
    code: "export { computeDelay, decide } from '@retry/core'",
    limit: 5_550,
    goal: 2_048,
  },
  {
    name: 'definePolicy + computeDelay + decide',
    code: "export { computeDelay, decide, definePolicy } from '@retry/core'",
    limit: 10_550,
    goal: 2_048,
  },
  { name: '@retry/core, all', code: "export * from '@retry/core'", limit: 17_700, goal: 4_096 },
  {
    name: 'withRetry of slim',
    code: "export { withRetry } from '@retry/inprocess/slim'",
    limit: 10_000,
    goal: 2_560,
  },
  { name: 'withRetry', code: "export { withRetry } from '@retry/inprocess'", limit: 15_750, goal: 2_560 },
  {
    name: '@retry/inprocess without its broker',
    code: `export { ${ALL_BUT_THE_BROKER} } from '@retry/inprocess'`,
    limit: 18_350,
    goal: 5_120,
  },
  { name: '@retry/inprocess, all', code: "export * from '@retry/inprocess'", limit: 26_500, goal: 5_120 },
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

/** Without limits, as these are compared, not judged. */
const OURS = rows
  .filter(({ name }) => name.startsWith('withRetry'))
  .map(({ name, code }) => ({ name, code }));

/** The parts of `withRetry`, by the files that they are; the first that fits counts. */
const PARTS = [
  ['reading a policy', /core\/src\/(policy\/|fields\/|duration|show|errors|hide-secrets)/],
  ['delays: eight backoffs, five jitters, caps', /core\/src\/delay\//],
  ['matchers: classes, patterns, causes', /core\/src\/(matching\/|read\.)/],
  ["the server's delay: headers, dates", /core\/src\/decision\/(parse|read|server)/],
  ['the decision, and errors that mark it', /core\/src\/(decision\/|markers)/],
  ['calls within calls', /(open-nested|join-signals|scope)\./],
  ['the abort: one listener a signal', /(abort-hub|abortable-call|run-call|soon)\./],
  ['time: attempt timeout, long waits, unref', /(run-attempt|wait|clock)\./],
  ['history and retryInfo', /(failed-attempt|retry-info|create-id)\./],
  ['hooks that cannot change an outcome', /(hooks|report-error|instruments)\./],
  ['retrying on results', /judge-result\./],
  ['the call itself: loop, deadline, budget, group', /inprocess\/src\//],
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

/** Each part's minified bytes, and its share of the gzipped ones. */
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

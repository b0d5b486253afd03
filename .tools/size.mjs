/**
 * `npm run size`: by how much an import of the packed packages grows a user's bundle, minified and gzipped, with its limit.
 * `npm run size -- parts`: the parts of `withRetry`. `npm run size -- peers`: the sizes of other libraries.
 * `npm run size -- bundlers`: what other bundlers, which npm brings, keep of `withRetry`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync, transformSync } from 'esbuild';
import { packPackage } from './pack-package.mjs';
import { bundle as bundlePage } from './page.mjs';
import { report, run } from './run.mjs';
import { builtEntries, install, makeFolder } from './runtimes.mjs';
import { findBuildProblem, listPublishable, root } from './workspace.mjs';

/** What a built package may have beyond its sources, which is more than text that gzip finds elsewhere. */
const MAX_EXCESS = 0.01;

/** What is measured here as a user gets it. */
const packages = listPublishable().filter(({ name }) => name === 'core' || name === 'inprocess');

const WITH_RETRY = "export { withRetry } from '@retry/inprocess'";

/**
 * Gzipped bytes. Above `limit` is a failure: the limit is the size that was reached plus 2 %, and is lowered after each saving. `goal`
 * is the target, where there is one.
 */
const rows = [
  {
    name: 'computeDelay + decide',
    code: "export { computeDelay, decide } from '@retry/core'",
    limit: 10_410,
  },
  {
    name: 'definePolicy + computeDelay + decide',
    code: "export { computeDelay, decide, definePolicy } from '@retry/core'",
    limit: 19_100,
  },
  { name: '@retry/core, all', code: "export * from '@retry/core'", limit: 26_600 },
  { name: 'fingerprint', code: "export { fingerprint } from '@retry/core/failures'", limit: 5_020 },
  { name: 'replay', code: "export { replay } from '@retry/core/failures'", limit: 11_780 },
  {
    name: 'simulate',
    code: "export { renderTimeline, simulate } from '@retry/core/simulate'",
    limit: 24_260,
  },
  { name: 'withRetry', code: WITH_RETRY, limit: 25_270, goal: 15_000 },
  { name: '@retry/inprocess, all', code: "export * from '@retry/inprocess'", limit: 34_720 },
  {
    name: '@retry/inprocess and its broker',
    code: "export * from '@retry/inprocess'; export * from '@retry/inprocess/broker'",
    limit: 60_600,
  },
  {
    name: 'the page of the board and its style',
    page: ['packages/board/src/page/main.tsx', 'packages/board/src/page/main.css'],
    limit: 27_780,
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

const BUNDLERS = [
  'rollup@4.68.8',
  '@rollup/plugin-node-resolve@16.0.3',
  '@rollup/plugin-terser@1.0.2',
  'webpack@5.113.0',
  'vite@8.4.0',
];

/** Without limits, for the comparison. */
const OURS = rows
  .filter(({ name }) => name.startsWith('withRetry'))
  .map(({ name, code }) => ({ name, code }));

/** The parts of `withRetry` by file; the first match counts. */
const PARTS = [
  ['core: what to write instead of an unknown key', /core\/src\/fields\/(cures|synonyms)/],
  ['core: reading a policy', /core\/src\/(policy\/|fields\/|duration)/],
  ['core: errors that list problems, without secrets', /core\/src\/(show|errors)/],
  ['core: eight backoffs, seven jitters, caps', /core\/src\/delay\//],
  ['core: matchers of classes, patterns and causes', /core\/src\/(matching\/|read\.)/],
  [
    "core: a server's delay, from headers and dates",
    /core\/src\/decision\/((parse|read)-server-delay|http-date)/,
  ],
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

/** What a bundle would have to do without, to be as small as others: words of the parts, in this order. */
const LEFT_OUT = [
  ["a server's delay"],
  ['matchers'],
  ['list problems', 'unknown key'],
  ['reading a policy', 'the options'],
];

const [mode] = process.argv.slice(2);
if (mode === 'parts') {
  console.table(listParts(WITH_RETRY));
  console.table(listWithout(WITH_RETRY));
} else if (await buildMissing()) {
  if (mode === 'peers') printRows([...PEERS, ...OURS]);
  else if (mode === 'bundlers') await compareBundlers();
  else judge();
}

/** Builds what is not built, or has changed since. */
async function buildMissing() {
  const stale = packages.filter(({ folder }) => findBuildProblem(folder) !== undefined);
  if (stale.length === 0) return true;
  const names = stale.map(({ name }) => name);
  return report(`build ${names.join(' ')}`, () =>
    run(process.execPath, [join(root, '.tools', 'build.mjs'), ...names]),
  );
}

function judge() {
  for (const { name, code, gzipped, limit } of printRows(rows)) {
    report(`size of ${name}`, () => findProblem({ code, gzipped, limit }));
  }
}

function findProblem({ code, gzipped, limit }) {
  if (gzipped > limit) return { code: 1, output: `${gzipped} bytes gzipped, over its limit of ${limit}.` };
  const ofSources = code === undefined ? gzipped : compressed(bundle(code, { isBuilt: false })).gzipped;
  if (gzipped <= ofSources * (1 + MAX_EXCESS)) return { code: 0 };
  const output = `${gzipped} bytes gzipped, its sources ${ofSources}: a bundle keeps what it does not use.`;
  return { code: 1, output };
}

function printRows(listed) {
  const measured = listed.map(({ name, code, page, ...limits }) => ({
    name,
    code,
    ...(page === undefined ? compressed(bundle(code)) : measurePage(page)),
    ...limits,
  }));
  console.table(Object.fromEntries(measured.map(({ name, code, ...figures }) => [name, figures])));
  return measured;
}

function compressed(contents) {
  return { minified: contents.length, gzipped: gzipSync(contents, { level: 9 }).length };
}

/** Each file is compressed on its own, as it is sent. */
function measurePage(entries) {
  const files = entries.map((entry) => Buffer.from(bundlePage(entry)));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    minified: sum(files.map(({ length }) => length)),
    gzipped: sum(files.map((file) => gzipSync(file, { level: 9 }).length)),
  };
}

/** Returns the minified bytes of each part, and by how much the gzipped bundle shrinks without them. */
function listParts(code) {
  const files = splitByFile(bundle(code, { isBuilt: false, isReadable: true }));
  const whole = compress(files);
  return Object.fromEntries(
    PARTS.map(([part]) => {
      const { minified, gzipped } = compress(files.filter(({ path }) => partOf(path) !== part));
      return [part, { minified: whole.minified - minified, gzipped: whole.gzipped - gzipped }];
    }),
  );
}

/** Returns what is left of the gzipped bundle without these parts, one after the other. */
function listWithout(code) {
  let files = splitByFile(bundle(code, { isBuilt: false, isReadable: true }));
  const left = [['nothing', compress(files)]];
  for (const parts of LEFT_OUT) {
    files = files.filter(({ path }) => !parts.some((part) => partOf(path)?.includes(part)));
    left.push([parts.join(', '), compress(files)]);
  }
  return Object.fromEntries(left);
}

function partOf(path) {
  return PARTS.find(([, paths]) => paths.test(path))?.[0];
}

/** Where whitespace is kept, esbuild writes the path of each file in a comment above its code. */
function splitByFile(contents) {
  const texts = new TextDecoder().decode(contents).split(/^\/\/ (?=packages\/)/m);
  return texts.slice(1).map((text) => {
    const [path, ...lines] = text.split('\n');
    return { path, text: lines.join('\n') };
  });
}

function compress(files) {
  const joined = files.map(({ text }) => text).join('');
  return compressed(transformSync(joined, { minifyWhitespace: true, target: 'es2022' }).code);
}

function bundle(code, { isBuilt = true, isReadable = false } = {}) {
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: root },
    absWorkingDir: root,
    ...(isBuilt && { alias: Object.fromEntries(packages.flatMap(builtEntries)) }),
    bundle: true,
    minifyIdentifiers: true,
    minifySyntax: true,
    minifyWhitespace: !isReadable,
    write: false,
    outfile: 'bundle.js',
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // The files of a built package import each other for their order, too, which is not needed.
    logLevel: 'error',
  });
  return outputFiles[0].contents;
}

/** Bundles the packed packages by other bundlers, each with its usual minifier. */
async function compareBundlers() {
  const folder = makeFolder();
  const tarballs = packages.map((entry) => packPackage(entry, join(folder, entry.name)).tarball);
  const problem = install(folder, [...tarballs, ...BUNDLERS]);
  if (problem !== undefined) return void report('bundlers', () => ({ code: 1, output: problem }));
  writeFileSync(join(folder, 'entry.mjs'), WITH_RETRY);
  writeFileSync(join(folder, 'main.mjs'), readFileSync(join(root, '.tools', 'size-of-bundlers.mjs')));
  const { code, stdout, output } = run(process.execPath, ['main.mjs'], { cwd: folder });
  if (code !== 0) return void report('bundlers', () => ({ code, output }));
  const others = Object.entries(JSON.parse(stdout.trim().split('\n').at(-1)));
  console.table({
    esbuild: compressed(bundle(WITH_RETRY)),
    ...Object.fromEntries(others.map(([name, text]) => [name, compressed(Buffer.from(text))])),
  });
}

/**
 * `npm run size`: by how much an import grows a user's bundle, minified and gzipped, with its limit.
 * `npm run size -- parts`: the parts of `withRetry`. `npm run size -- peers`: the sizes of other libraries.
 */
import { gzipSync } from 'node:zlib';
import { buildSync, transformSync } from 'esbuild';
import { bundle as bundlePage } from './page.mjs';
import { root } from './workspace.mjs';

/**
 * Gzipped bytes. Above `limit` is a failure: the limit is the size that was reached, rounded up, and is lowered after
 * each saving. `goal` is the target, where there is one.
 */
const rows = [
  {
    name: 'computeDelay + decide',
    code: "export { computeDelay, decide } from '@retry/core'",
    limit: 9_695,
  },
  {
    name: 'definePolicy + computeDelay + decide',
    code: "export { computeDelay, decide, definePolicy } from '@retry/core'",
    limit: 16_480,
  },
  { name: '@retry/core, all', code: "export * from '@retry/core'", limit: 23_125 },
  { name: 'fingerprint', code: "export { fingerprint } from '@retry/core/failures'", limit: 4_710 },
  { name: 'replay', code: "export { replay } from '@retry/core/failures'", limit: 10_740 },
  {
    name: 'simulate',
    code: "export { renderTimeline, simulate } from '@retry/core/simulate'",
    limit: 20_300,
  },
  { name: 'withRetry', code: "export { withRetry } from '@retry/inprocess'", limit: 22_335, goal: 9_216 },
  { name: '@retry/inprocess, all', code: "export * from '@retry/inprocess'", limit: 28_110 },
  {
    name: '@retry/inprocess and its broker',
    code: "export * from '@retry/inprocess'; export * from '@retry/inprocess/broker'",
    limit: 51_080,
  },
  {
    name: 'the page of the board and its style',
    page: ['packages/board/src/page/main.tsx', 'packages/board/src/page/main.css'],
    limit: 27_300,
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
  ['core: what to write instead of an unknown key', /core\/src\/fields\/cures/],
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
  const measured = listed.map(({ name, code, page, ...limits }) => ({
    name,
    ...(page === undefined ? measure(code) : measurePage(page)),
    ...limits,
  }));
  console.table(Object.fromEntries(measured.map(({ name, ...figures }) => [name, figures])));
  return measured;
}

function measure(code) {
  const contents = bundle(code);
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
  const files = splitByFile(bundle(code, { isReadable: true }));
  const whole = compress(files);
  return Object.fromEntries(
    PARTS.map(([part]) => {
      const rest = files.filter(({ path }) => PARTS.find(([, paths]) => paths.test(path))?.[0] !== part);
      const { minified, gzipped } = compress(rest);
      return [part, { minified: whole.minified - minified, gzipped: whole.gzipped - gzipped }];
    }),
  );
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
  const { code } = transformSync(joined, { minifyWhitespace: true, target: 'es2022' });
  return { minified: code.length, gzipped: gzipSync(code, { level: 9 }).length };
}

function bundle(code, { isReadable = false } = {}) {
  const { outputFiles } = buildSync({
    stdin: { contents: code, resolveDir: root },
    absWorkingDir: root,
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
  });
  return outputFiles[0].contents;
}

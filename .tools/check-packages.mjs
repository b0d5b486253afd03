/**
 * Checks each publishable package as its users get it: packed, installed elsewhere, imported, required, typed.
 * `--keep <folder>` leaves the tarballs there.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkConsumer } from './check-consumer.mjs';
import { packPackage } from './pack-package.mjs';
import { report, run } from './run.mjs';
import { reportAll, startBin } from './side-by-side.mjs';
import { listPublishable, root } from './workspace.mjs';

/**
 * What attw has to find for each entry that has types; README.md tells users the same. Our packages are ESM only: under
 * `node16`, CommonJS TypeScript sees a module that it may only `import()`. Node from 20.19 on can `require` it all the
 * same (no top-level await), which the consumer check proves.
 */
const EXPECTED_BY_RESOLUTION = {
  'node16 (from CJS)': 'ESM (dynamic import only)',
  'node16 (from ESM)': 'OK (ESM)',
  bundler: 'OK',
};

const { keep } = parseArgs({ options: { keep: { type: 'string' } } }).values;
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'retry-packages-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const packages = listPublishable();
const packed = packages.map(pack).filter((entry) => entry !== undefined);
await reportAll(
  packed.flatMap(({ name, tarball }) => [
    { name: `publint ${name}`, check: () => startBin('publint', 'publint', [tarball, '--strict']) },
    { name: `attw ${name}`, check: () => checkWithAttw(tarball) },
  ]),
);
for (const { name, manifest, tarball } of packed) {
  report(`contents of ${name}`, () => checkContents(tarball));
  report(`notices of ${name}`, () => checkNotices(tarball, manifest));
}
if (packed.length > 0) report('README says what attw finds', checkReadme);
if (packages.length === 0) report('packages', () => ({ code: 1, output: 'No publishable package found.' }));
else if (packed.length === packages.length) await checkConsumer(join(folder, 'consumer'), packed);

/** Packs one package as a release would (pnpm applies publishConfig); nothing when that failed. */
function pack({ name, folder: source, manifest }) {
  const packed = packPackage({ name, folder: source }, join(folder, name));
  if (!report(`pack ${name}`, () => packed)) return undefined;
  const { tarball } = packed;
  if (keep !== undefined) {
    mkdirSync(keep, { recursive: true });
    copyFileSync(tarball, join(keep, basename(tarball)));
  }
  return { name, manifest, tarball };
}

/** What has to be in every tarball, and what must not be: nothing of the workspace leaves with it. */
function checkContents(tarball) {
  const listed = run('tar', ['-tzf', tarball]);
  const manifest = run('tar', ['-xzOf', tarball, 'package/package.json']);
  if (listed.code !== 0 || manifest.code !== 0) return { code: 1, output: listed.output + manifest.output };
  const files = listed.stdout.split('\n').map((path) => path.trim().replace(/^package\//, ''));
  const problems = [
    ...['LICENSE', 'README.md', 'package.json']
      .filter((file) => !files.includes(file))
      .map((file) => `no ${file}`),
    ...files.filter((file) => file.startsWith('src/')).map((file) => `${file} is source`),
    ...brokenLinks(run('tar', ['-xzOf', tarball, 'package/README.md']).stdout, files),
    ...['workspace:', './src/', 'prepack']
      .filter((text) => manifest.stdout.includes(text))
      .map((text) => `${text} in package.json`),
  ];
  return { code: problems.length, output: problems.join('\n') };
}

/** Links of a README to files that are not in the tarball with it. */
function brokenLinks(readme, files) {
  const paths = [...readme.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, path]) => path);
  return paths.filter((path) => !files.includes(path)).map((path) => `README.md links to ${path}`);
}

/** What a package has for its development alone is bundled, so its licence goes with the bundle. */
function checkNotices(tarball, { devDependencies = {}, peerDependencies = {} }) {
  const bundled = Object.keys(devDependencies).filter((name) => !(name in peerDependencies));
  if (bundled.length === 0) return { code: 0, output: '' };
  const { stdout } = run('tar', ['-xzOf', tarball, 'package/dist/NOTICES.md']);
  const missing = bundled.filter((library) => !stdout.includes(`\n## ${library} `));
  return {
    code: missing.length,
    output: missing.map((library) => `no licence of ${library} in dist/NOTICES.md`).join('\n'),
  };
}

async function checkWithAttw(tarball) {
  // node10 is left out: no Node that these packages run on resolves that way.
  const profile = ['--profile', 'node16', '--format', 'ascii', '--no-emoji', '--no-color'];
  const { output } = await startBin('@arethetypeswrong/cli', 'attw', [tarball, ...profile]);
  const typed = output
    .split(/^(?=")/m)
    .slice(1)
    // What a pattern stands for is not looked up there; the consumer of the tarballs imports one of them.
    .filter((part) => !/^".+(\.json|\*)"$/m.test(part));
  const problems = typed.flatMap(findSurprises);
  if (typed.length > 0 && problems.length === 0) return { code: 0, output: '' };
  return { code: 1, output: [...problems, output].join('\n') };
}

/** Each entry is a part of attw's answer: its name in quotes, then a line for each way of resolving. */
function findSurprises(part) {
  const [entry] = part.split('\n');
  return Object.entries(EXPECTED_BY_RESOLUTION)
    .filter(([way, expected]) => !part.split('\n').some((line) => line.trim() === `${way}: ${expected}`))
    .map(([way, expected]) => `${entry} by ${way} is not ${expected}`);
}

function checkReadme() {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  const rows = Object.entries(EXPECTED_BY_RESOLUTION).map(([way, found]) => `| \`${way}\` | \`${found}\` |`);
  const missing = rows.filter((row) => !text.includes(row));
  return { code: missing.length, output: missing.map((row) => `README.md has no row ${row}`).join('\n') };
}

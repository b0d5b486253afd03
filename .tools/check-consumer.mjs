/** A project outside the workspace that installs the tarballs and uses every export entry of each package. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { checkCli } from './check-cli.mjs';
import { checksOfTypeScript } from './check-typescript.mjs';
import { packLibraries } from './pack-libraries.mjs';
import { report, run } from './run.mjs';
import { reportAll, startBin } from './side-by-side.mjs';
import { containsLibraries, root } from './workspace.mjs';

/**
 * @param folder - where to make the project; must not exist yet
 * @param packed - `{ name, manifest, tarball }` of each package
 */
export async function checkConsumer(folder, packed) {
  mkdirSync(folder);
  const installed = report('consumer installs the tarballs', () => install(folder, packed));
  if (!installed) return;
  for (const file of ['list-exports.mjs', 'list-exports.cjs']) {
    copyFileSync(join(root, '.tools', file), join(folder, file));
  }
  for (const { name, manifest } of packed) {
    checkReadmeProgram(folder, name);
    for (const entry of listEntries(manifest)) {
      checkEntry(folder, entry);
      if (!containsLibraries(manifest)) checkBundle(folder, entry, manifest);
    }
    for (const program of Object.keys(manifest.publishConfig.bin ?? {})) checkProgram(folder, program);
    if (name === 'cli') checkCli(folder);
  }
  await reportAll([
    ...checksOfTypeScript(join(folder, 'pnpm'), packed),
    ...packed.flatMap(({ name, manifest }) => [
      {
        name: `types for users ${manifest.name}`,
        check: () => checkTypes(join(folder, `types-${name}`), manifest),
      },
      {
        name: `types for CommonJS under node16 ${manifest.name}`,
        check: () => checkNode16(join(folder, `node16-${name}`), manifest),
      },
    ]),
  ]);
}

/** Offline: our packages need nothing but these tarballs and those of their libraries. */
function install(folder, packed) {
  const libraries = packLibraries(join(folder, 'libraries'), packed);
  const dependencies = [...packed.map(({ manifest, tarball }) => [manifest.name, tarball]), ...libraries];
  writeJson(join(folder, 'package.json'), {
    name: 'consumer',
    private: true,
    dependencies: Object.fromEntries(dependencies.map(([name, tarball]) => [name, `file:${tarball}`])),
  });
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  return run('npm', args, { cwd: folder, shell: process.platform === 'win32' });
}

/** What a user may import: `@retry/core`, `@retry/core/dialects` …, data files left out. */
function listEntries(manifest) {
  return (
    Object.keys(manifest.exports)
      // One module stands for those that an entry with a star has.
      .map((key) => key.replace('./dialects/*', './dialects/bullmq'))
      .filter((key) => !key.endsWith('.json'))
      .map((key) => manifest.name + key.slice(1))
  );
}

function checkEntry(folder, entry) {
  const source = run(process.execPath, ['--import', 'tsx', join('.tools', 'list-exports.mjs'), entry]);
  for (const [verb, file] of [
    ['import', 'list-exports.mjs'],
    ['require', 'list-exports.cjs'],
  ]) {
    report(`${verb} ${entry}`, () => {
      const found = run(process.execPath, [file, entry], { cwd: folder });
      const failed = [source, found].find(({ code }) => code !== 0);
      if (failed) return failed;
      if (found.stdout === source.stdout) return { code: 0, output: '' };
      return { code: 1, output: `The source exports ${source.stdout}The package exports ${found.stdout}` };
    });
  }
}

/** Users bundle what runs in a function or a container, often to CommonJS, where a module knows no address of its own. */
function checkBundle(folder, entry, { peerDependencies = {} }) {
  const outfile = join(folder, 'bundle.cjs');
  report(`bundle ${entry} to CommonJS`, () => {
    buildSync({
      stdin: { contents: `module.exports = require(${JSON.stringify(entry)});`, resolveDir: folder },
      ...{ bundle: true, platform: 'node', target: 'node20', format: 'cjs', outfile, logLevel: 'error' },
      external: Object.keys(peerDependencies),
    });
    return run(process.execPath, [outfile], { cwd: folder });
  });
}

/** The program of a package's README runs on the tarballs by plain Node; those that need a server run in the tests. */
function checkReadmeProgram(folder, name) {
  const text = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8');
  const program =
    /^```js\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? 'throw new Error("the README has no program")';
  if (program.includes('process.env')) return;
  writeFileSync(join(folder, 'program.mjs'), program);
  report(`README program ${name}`, () => {
    const { code, stdout, output } = run(process.execPath, ['program.mjs'], { cwd: folder });
    const promised = [...program.matchAll(/\/\/ => (.*)$/gm)].map(([, line]) => `${line}\n`).join('');
    return code === 0 && stdout === promised
      ? { code }
      : { code: 1, output: `promised:\n${promised}printed:\n${output}` };
  });
}

/** What npm puts on the path starts, and tells how it is used. */
function checkProgram(folder, program) {
  const path = join(folder, 'node_modules', '.bin', program);
  report(`run ${program}`, () => run(path, ['--help'], { cwd: folder, shell: process.platform === 'win32' }));
}

/** ESM and CommonJS users compile under the strictest settings, our declarations included. */
async function checkTypes(folder, manifest) {
  const esm = listEntries(manifest).map((entry, index) => `export * as entry${index} from '${entry}';\n`);
  const cjs = listEntries(manifest).map(
    (entry, index) =>
      `import entry${index} = require('${entry}');\nexport const value${index} = entry${index};\n`,
  );
  const files = { 'use.mts': esm.join(''), 'use.cts': cjs.join('') };
  return compile(folder, { manifest, module: 'nodenext', files });
}

/** Under `node16`, CommonJS may only `import()` them: a plain import is an error that says so, as README.md does. */
async function checkNode16(folder, manifest) {
  const entries = listEntries(manifest);
  const dynamic = entries.map(
    (entry, index) => `export const entry${index} = (): Promise<object> => import('${entry}');\n`,
  );
  const works = await compile(folder, { manifest, module: 'node16', files: { 'use.cts': dynamic.join('') } });
  if (works.code !== 0) return works;
  const plain = entries.map((entry, index) => `export * as entry${index} from '${entry}';\n`);
  const refused = await compile(folder, { manifest, module: 'node16', files: { 'use.cts': plain.join('') } });
  const lines = refused.output.split('\n').filter((line) => line.includes('error TS'));
  if (lines.length === entries.length && lines.every((line) => line.includes('TS1479'))) return { code: 0 };
  return { code: 1, output: `Each plain import was to be error TS1479, but:\n${refused.output}` };
}

function compile(folder, { manifest, module, files }) {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // core promises to need nothing but the language; the others also name AbortSignal.
  const lib = manifest.name === '@retry/core' ? ['es2022'] : ['es2022', 'dom'];
  const compilerOptions = { strict: true, module, target: 'es2022', lib, types: [], skipLibCheck: false };
  const config = { compilerOptions: { ...compilerOptions, noEmit: true }, files: Object.keys(files) };
  writeJson(join(folder, 'tsconfig.json'), config);
  return startBin('typescript', 'tsc', ['--pretty', 'false', '--project', folder]);
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** A project outside the workspace that installs the tarballs and uses every export entry of each package. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, run, runBin } from './run.mjs';
import { root } from './workspace.mjs';

/**
 * @param folder - where to make the project; must not exist yet
 * @param packed - `{ name, manifest, tarball }` of each package
 */
export function checkConsumer(folder, packed) {
  mkdirSync(folder);
  const installed = report('consumer installs the tarballs', () => install(folder, packed));
  if (!installed) return;
  for (const file of ['list-exports.mjs', 'list-exports.cjs']) {
    copyFileSync(join(root, '.tools', file), join(folder, file));
  }
  for (const { manifest } of packed) {
    for (const entry of listEntries(manifest)) checkEntry(folder, entry);
    for (const program of Object.keys(manifest.publishConfig.bin ?? {})) checkProgram(folder, program);
    report(`types for users ${manifest.name}`, () => checkTypes(folder, manifest));
  }
}

/** Offline: our packages need nothing that the tarballs do not bring. */
function install(folder, packed) {
  const dependencies = packed.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]);
  writeJson(join(folder, 'package.json'), {
    name: 'consumer',
    private: true,
    dependencies: Object.fromEntries(dependencies),
  });
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  return run('npm', args, { cwd: folder, shell: process.platform === 'win32' });
}

/** What a user may import: `@retry/core`, `@retry/core/dialects` …, data files left out. */
function listEntries(manifest) {
  return Object.keys(manifest.exports)
    .filter((key) => !key.endsWith('.json'))
    .map((key) => manifest.name + key.slice(1));
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

/** What npm puts on the path starts, and tells how it is used. */
function checkProgram(folder, program) {
  const path = join(folder, 'node_modules', '.bin', program);
  report(`run ${program}`, () => run(path, ['--help'], { cwd: folder, shell: process.platform === 'win32' }));
}

/** ESM and CommonJS users compile under the strictest settings, our declarations included. */
function checkTypes(folder, manifest) {
  const esm = listEntries(manifest).map((entry, index) => `export * as entry${index} from '${entry}';\n`);
  const cjs = listEntries(manifest).map(
    (entry, index) =>
      `import entry${index} = require('${entry}');\nexport const value${index} = entry${index};\n`,
  );
  writeFileSync(join(folder, 'use.mts'), esm.join(''));
  writeFileSync(join(folder, 'use.cts'), cjs.join(''));
  // core promises to need nothing but the language; the others also name AbortSignal.
  const lib = manifest.name === '@retry/core' ? ['es2022'] : ['es2022', 'dom'];
  writeJson(join(folder, 'tsconfig.json'), {
    compilerOptions: {
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      lib,
      types: [],
      skipLibCheck: false,
      noEmit: true,
    },
    files: ['use.mts', 'use.cts'],
  });
  return runBin('typescript', 'tsc', ['--pretty', 'false', '--project', folder]);
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

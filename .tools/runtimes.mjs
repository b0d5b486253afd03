/** The built packages in other runtimes, which npm brings into a temporary folder: nothing stays behind. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { run } from './run.mjs';
import { listPublishable, readJson, root } from './workspace.mjs';

/** A folder of its own, gone when the process ends. */
export function makeFolder() {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'retry-runtimes-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Installs packages there, their scripts included (they fetch the binaries); gives what went wrong, if it did. */
export function install(folder, packages) {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const args = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error', ...packages];
  const { code, output } = run('npm', args, { cwd: folder, shell: process.platform === 'win32' });
  return code === 0 ? undefined : output.trim().split('\n').at(-1);
}

/** Checks of test/runtimes and all that they need, ours as built, in one file without imports but those of `node:`. */
export function bundleSmoke(folder, { checks = 'smoke', platform = 'browser' } = {}) {
  if (!existsSync(join(root, 'packages', 'board', 'dist'))) {
    const { code, output } = run(process.execPath, [join(root, '.tools', 'build.mjs')]);
    if (code !== 0) throw new Error(output);
  }
  const file = join(folder, `${checks}.mjs`);
  buildSync({
    stdin: {
      contents: `import { smoke } from './${checks}.ts';\nglobalThis.smoke = smoke();\n`,
      resolveDir: join(root, 'test', 'runtimes'),
    },
    alias: Object.fromEntries(listPublishable().flatMap(builtEntries)),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform,
    outfile: file,
    logLevel: 'error',
  });
  return { file, code: readFileSync(file, 'utf8') };
}

/** Judges what `smoke` gave. */
export function judge({ passed, failed }) {
  return {
    code: failed.length === 0 ? 0 : 1,
    output: `${passed} passed\nfailed: ${failed.join('\nfailed: ')}`,
  };
}

/** The entries of a package and their built files, the longest first: those below another one before it. */
export function builtEntries({ folder }) {
  const { name, publishConfig } = readJson(join(folder, 'package.json'));
  return Object.entries(publishConfig.exports)
    .filter(([key, target]) => typeof target === 'object' && !key.includes('*'))
    .map(([key, target]) => [name + key.slice(1), join(folder, target.default)])
    .sort(([one], [other]) => other.length - one.length);
}

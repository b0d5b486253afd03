/** `npm run test:runtimes`: the built packages in this Node, in newer ones, Bun and Deno. A runtime that cannot be had is skipped, visibly. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { report, run } from './run.mjs';
import { bundleSmoke, install, judge, makeFolder } from './runtimes.mjs';

const folder = makeFolder();
const files = [bundleSmoke(folder), bundleSmoke(folder, { checks: 'board', platform: 'node' })].map(
  ({ file }) => file,
);
for (const file of files) appendFileSync(file, 'console.log(JSON.stringify(await globalThis.smoke));\n');

check('node', process.execPath, []);
for (const [runtime, args] of [
  ['node@22', []],
  ['node@24', []],
  ['bun', ['run']],
  ['deno', ['run', '--no-config', '--allow-net']],
]) {
  const [name] = runtime.split('@');
  const home = join(folder, runtime);
  mkdirSync(home);
  const problem = install(home, [runtime]);
  if (problem === undefined) check(name, join(home, 'node_modules', '.bin', name), args);
  else
    console.log(
      `SKIP ${runtime}: npm could not bring it (${problem}). Run npm run test:runtimes where it can.`,
    );
}

function check(name, command, args) {
  const version = run(command, ['--version'], { cwd: folder });
  for (const file of files) {
    report(`${basename(file, '.mjs')} in ${name} ${version.stdout.trim().split('\n')[0]}`, () => {
      const { code, stdout, output } = run(command, [...args, file], { cwd: folder });
      return code === 0 ? judge(JSON.parse(stdout)) : { code, output };
    });
  }
}

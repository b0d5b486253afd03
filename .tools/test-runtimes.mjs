/** `npm run test:runtimes`: the built packages in this Node, in newer ones, Bun and Deno. A runtime that cannot be had is skipped, visibly. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { report, run } from './run.mjs';
import { bundleSmoke, install, judge, makeFolder } from './runtimes.mjs';

const folder = makeFolder();
const { file } = bundleSmoke(folder);
appendFileSync(file, 'console.log(JSON.stringify(await globalThis.smoke));\n');

check('node', process.execPath, [file]);
for (const [runtime, args] of [
  ['node@22', [file]],
  ['node@24', [file]],
  ['bun', ['run', file]],
  ['deno', ['run', '--no-config', file]],
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
  report(`smoke in ${name} ${version.stdout.trim().split('\n')[0]}`, () => {
    const { code, stdout, output } = run(command, args, { cwd: folder });
    return code === 0 ? judge(JSON.parse(stdout)) : { code, output };
  });
}

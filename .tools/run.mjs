/** Running other programs, and reporting checks as `ok name` or `FAIL name` lines. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readJson, root } from './workspace.mjs';

/** What other programs get. */
export const env = { ...process.env };
// pnpm refuses an empty HOME; without one it asks the system.
if (env.HOME === '') delete env.HOME;

/** Runs a program to its end; gives its exit code and, unless it is shown as it comes, its output. */
export function run(command, args, { cwd = root, show = false, shell = false } = {}) {
  const stdio = show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'];
  const child = spawnSync(command, args, { cwd, env, stdio, shell, encoding: 'utf8', maxBuffer: 2 ** 28 });
  const problem = child.error ? `${command}: ${child.error.message}\n` : '';
  const output = `${child.stdout ?? ''}${child.stderr ?? ''}`;
  if (show && problem) process.stderr.write(problem);
  return { code: child.status ?? 1, stdout: child.stdout ?? '', output: output + problem };
}

/** Runs a command of an installed package (`runBin('typescript', 'tsc', [...])`), on any platform alike. */
export function runBin(packageName, binName, args, options) {
  return run(process.execPath, [binOf(packageName, binName), ...args], options);
}

/** The script of a command of an installed package. */
export function binOf(packageName, binName) {
  const folder = join(root, 'node_modules', packageName);
  const { bin } = readJson(join(folder, 'package.json'));
  return join(folder, typeof bin === 'string' ? bin : bin[binName]);
}

/**
 * Prints `ok name` or, with everything the check has to say, `FAIL name`; the process then ends non-zero.
 *
 * @param check - gives `{ code, output }`, or throws
 * @returns whether the check passed
 */
export function report(name, check) {
  const { code, output } = attempt(check);
  if (code === 0) {
    console.log(`ok ${name}`);
    return true;
  }
  if (output) console.log(output.trimEnd());
  console.log(`FAIL ${name}`);
  process.exitCode = 1;
  return false;
}

function attempt(check) {
  try {
    return check();
  } catch (error) {
    return { code: 1, output: error instanceof Error ? error.message : String(error) };
  }
}

/** Checks that do not need one another, as many at a time as there are processors: each program of them uses one. */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { binOf, env, report } from './run.mjs';
import { root } from './workspace.mjs';

/** As `runBin`, without waiting. */
export function startBin(packageName, binName, args, { cwd = root } = {}) {
  return start(process.execPath, [binOf(packageName, binName), ...args], { cwd });
}

/** As `run`, without waiting. */
function start(command, args, { cwd }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr']) {
      child[stream].setEncoding('utf8').on('data', (text) => {
        printed[stream] += text;
      });
    }
    const end = (code, problem) =>
      resolve({ code, stdout: printed.stdout, output: printed.stdout + printed.stderr + problem });
    child.once('error', (error) => end(1, `${command}: ${error.message}\n`));
    child.once('close', (code) => end(code ?? 1, ''));
  });
}

/**
 * Runs checks and reports each when it ends.
 *
 * @param checks - `{ name, check }`; a check resolves with `{ code, output }`
 */
export async function reportAll(checks) {
  const waiting = checks.values();
  const work = async () => {
    for (const { name, check } of waiting) {
      const result = await check().catch((error) => ({ code: 1, output: String(error) }));
      report(name, () => result);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

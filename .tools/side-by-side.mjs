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
export function start(command, args, { cwd = root } = {}) {
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
 * Runs checks and reports them, each in its turn.
 *
 * @param checks - `{ name, check }`; a check resolves with `{ code, output }`
 */
export async function reportAll(checks) {
  const results = checks.map(() => undefined);
  const waiting = checks.entries();
  let reported = 0;
  const work = async () => {
    for (const [index, { check }] of waiting) {
      results[index] = await check().catch((error) => ({ code: 1, output: String(error) }));
      for (; results[reported] !== undefined; reported += 1) {
        const result = results[reported];
        report(checks[reported].name, () => result);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
}

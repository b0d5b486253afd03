import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const DEMO = fileURLToPath(new URL('../../docs/demo/main.ts', import.meta.url));

/** Starts the demo in PGlite; `each` is told every line that it prints. */
function startDemo(args: readonly string[], each: (line: string) => void) {
  const env = { ...process.env, DATABASE_URL: '' };
  const demo = spawn(process.execPath, ['--import', 'tsx', DEMO, '--broker', 'postgres', ...args], { env });
  createInterface({ input: demo.stdout }).on('line', each);
  return { demo, ended: new Promise<number | null>((resolve) => demo.once('exit', resolve)) };
}

it('the demo goes on with what a killed one left in its folder', { timeout: 120_000 }, async () => {
  const killed = startDemo([], (line) => {
    // By now everything is submitted, and the work begins.
    if (line.includes('through a queue in PGlite')) setTimeout(() => killed.demo.kill('SIGKILL'), 300);
  });
  await killed.ended;
  const lines: string[] = [];
  const resumed = startDemo(['--resume'], (line) => lines.push(line));

  const code = await resumed.ended;

  expect(killed.demo.signalCode).toBe('SIGKILL');
  expect(lines.join('\n')).toContain('submitted 500, completed 500, unbalanced 0\naudit: balanced');
  expect(code).toBe(0);
});

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { nodeArgs } from '../support/programs/node-args.ts';

const DEMO = fileURLToPath(new URL('../../docs/demo/main.ts', import.meta.url));
export const BALANCED = 'submitted 500, completed 500, unbalanced 0\naudit: balanced';

/** Starts the demo on Postgres; without a URL in PGlite. `each` is called with every line that it prints. */
function startDemo(url: string, args: readonly string[], each: (line: string) => void) {
  const env = { ...process.env, DATABASE_URL: url };
  const demo = spawn(process.execPath, [...nodeArgs(), DEMO, '--broker', 'postgres', ...args], { env });
  createInterface({ input: demo.stdout }).on('line', each);
  return { demo, ended: new Promise<number | null>((resolve) => demo.once('exit', resolve)) };
}

/** Runs the demo to its end. */
export async function runDemo(url: string, args: readonly string[] = []) {
  const lines: string[] = [];
  const code = await startDemo(url, args, (line) => lines.push(line)).ended;
  return { code, text: lines.join('\n') };
}

/** Starts it, and kills it while it runs its tasks. */
export async function killDemo(url: string, where: string): Promise<NodeJS.Signals | null> {
  const { demo, ended } = startDemo(url, [], (line) => {
    // Everything is submitted now, and the work begins: it takes a few tenths of a second.
    if (line.includes(`through a queue in ${where}`)) setTimeout(() => demo.kill('SIGKILL'), 50);
  });
  await ended;
  return demo.signalCode;
}

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';

const DEMO = fileURLToPath(new URL('../../docs/demo/main.ts', import.meta.url));
const TIMEOUT_MS = 120_000;
const BALANCED = 'submitted 500, completed 500, unbalanced 0\naudit: balanced';

/** Starts the demo on Postgres; without a URL in PGlite. `each` is called with every line that it prints. */
function startDemo(url: string, args: readonly string[], each: (line: string) => void) {
  const env = { ...process.env, DATABASE_URL: url };
  const demo = spawn(process.execPath, [...nodeArgs(), DEMO, '--broker', 'postgres', ...args], { env });
  createInterface({ input: demo.stdout }).on('line', each);
  return { demo, ended: new Promise<number | null>((resolve) => demo.once('exit', resolve)) };
}

async function runDemo(url: string, args: readonly string[] = []) {
  const lines: string[] = [];
  const code = await startDemo(url, args, (line) => lines.push(line)).ended;
  return { code, text: lines.join('\n') };
}

/** Kills the demo while it runs its tasks. */
async function killDemo(url: string, where: string): Promise<NodeJS.Signals | null> {
  const { demo, ended } = startDemo(url, [], (line) => {
    // Everything is submitted now, and the work begins: it takes a few tenths of a second.
    if (line.includes(`through a queue in ${where}`)) setTimeout(() => demo.kill('SIGKILL'), 50);
  });
  await ended;
  return demo.signalCode;
}

describe('the demo in PGlite', () => {
  it('continues with what a killed demo left in its folder', { timeout: TIMEOUT_MS }, async () => {
    const signal = await killDemo('', 'PGlite');

    const { code, text } = await runDemo('', ['--resume']);

    expect(signal).toBe('SIGKILL');
    expect(text).toContain(BALANCED);
    expect(code).toBe(0);
  });
});

describeOnPrivatePostgres('the demo on the server of DATABASE_URL', () => {
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await startPrivatePostgres();
  }, 60_000);
  afterAll(() => server.stop());

  it('continues with what a killed demo left there', { timeout: TIMEOUT_MS }, async () => {
    const signal = await killDemo(server.url, 'Postgres, in the schema retry_demo of DATABASE_URL');

    const { code, text } = await runDemo(server.url, ['--resume']);

    expect(signal).toBe('SIGKILL');
    expect(text).toContain('resumed in a queue in Postgres');
    expect(text).toContain(BALANCED);
    expect(code).toBe(0);
  });
});

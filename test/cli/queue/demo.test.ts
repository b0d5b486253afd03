import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createRedisBroker } from '@retry/redis-queue';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeArgs } from '../../support/programs/node-args.ts';
import { root } from '../../support/repository.ts';
import { describeOnPrivateRedis } from '../../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../../support/servers/redis.ts';
import { startPrivateRedis } from '../../support/servers/redis.ts';
import { run } from '../run-in-memory.ts';
import { splitWords } from '../split-words.ts';

/** Runs `npm start -- --keep`. `each` is called with every line that it prints. */
async function keep(
  { args = [], env }: { readonly args?: readonly string[]; readonly env: Record<string, string> },
  each: (line: string, demo: ReturnType<typeof spawn>) => void = () => {},
) {
  const command = [...nodeArgs(), join(root, 'docs/demo/main.ts'), '--keep', ...args];
  const given = { ...process.env, REDIS_URL: '', DATABASE_URL: '', ...env };
  const demo = spawn(process.execPath, command, { env: given, cwd: root });
  const lines: string[] = [];
  createInterface({ input: demo.stdout }).on('line', (line) => {
    lines.push(line);
    each(line, demo);
  });
  let err = '';
  demo.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const code = await new Promise((resolve) => demo.once('close', resolve));
  return { code, err, text: lines.join('\n'), commands: commandsIn(lines) };
}

function commandsIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /^ {2}retry (.*)$/.exec(line)?.[1] ?? []);
}

/** Runs the commands that the demo printed, as a reader would. @returns what each printed */
async function follow(commands: readonly string[], env: Record<string, string> = {}) {
  const printed = new Map<string, string>();
  for (const command of commands) {
    const args = splitWords(command).map((word) => word.replace(/^\$(\w+)$/, (_, name) => env[name] ?? ''));
    const { out, err, exitCode } = await run([...args, '--no-color'], { now: Date.now, env });
    // The doctor finds the lane on hold.
    expect({ command, err, exitCode }).toEqual({ command, err: '', exitCode: args[0] === 'doctor' ? 1 : 0 });
    printed.set(args.slice(0, 2).join(' '), out);
  }
  return printed;
}

describe('npm start -- --keep', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'retry-demo-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('leaves a queue in a folder of PGlite, and prints commands that look at it', async () => {
    const { code, err, text, commands } = await keep({ env: { TMPDIR: folder } });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(text).toContain(`5000 runs are in PGlite, in ${folder}`);
    expect(commands.length).toBeGreaterThan(5);

    // To open the folder takes each command seconds; the test on Redis follows them all.
    const printed = await follow(commands.filter((command) => /^(dlq groups|audit) /.test(command)));

    expect(printed.get('dlq groups')).toMatch(
      /HttpError 503: .*ValidationError: .*TimeoutError ETIMEDOUT: /s,
    );
    expect(printed.get('dlq groups')).toContain('225 dead letters in all.');
    expect(printed.get('audit --url')).toMatch(/^created +5 000$/m);
  });

  it('refuses memory, which no other process can look into', async () => {
    const { code, err } = await keep({ args: ['--broker', 'memory'], env: {} });

    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('Use --broker postgres') });
  });
});

describeOnPrivateRedis('npm start -- --keep --broker redis', () => {
  let server: PrivateRedis;
  beforeAll(async () => {
    server = await startPrivateRedis();
  });
  afterAll(() => server.stop());

  it('leaves one queue on the server of REDIS_URL, and prints no password', async () => {
    const env = { REDIS_URL: server.url };
    const earlier = createRedisBroker({ url: server.url, prefix: 'retry-demo-kept' });
    await earlier.submit([{ id: 'of-an-earlier-demo', lane: 'mail@1', payload: '{}' }]);
    await earlier.close();
    const { code, text, commands } = await keep({ args: ['--broker', 'redis'], env });

    expect(code).toBe(0);
    expect(text).not.toContain(server.url);
    const printed = await follow(commands, env);
    expect(printed.get('audit --url')).toMatch(/^created +5 000$/m);
    expect(printed.get('dlq groups')).toMatch(
      /HttpError 503: .*ValidationError: .*TimeoutError ETIMEDOUT: /s,
    );
    expect(printed.get('dlq show')).toMatch(/^ +3 .* exhausted +HttpError/m);
    expect(printed.get('doctor --url')).toContain('LANE_ON_HOLD');
  });

  it('keeps a server of its own running until Ctrl-C', async () => {
    let followed: Promise<ReadonlyMap<string, string>> | undefined;
    const lines: string[] = [];
    const { code } = await keep({ args: ['--broker', 'redis'], env: {} }, (line, demo) => {
      lines.push(line);
      if (!line.includes('until Ctrl-C')) return;
      const audits = commandsIn(lines).filter((command) => command.startsWith('audit'));
      followed = follow(audits).finally(() => demo.kill('SIGINT'));
    });

    expect((await followed)?.get('audit --url')).toMatch(/^created +5 000$/m);
    expect(code).toBe(0);
    const [audit = ''] = commandsIn(lines).filter((command) => command.startsWith('audit'));
    expect((await run(splitWords(audit))).exitCode).toBe(3);
  });
});

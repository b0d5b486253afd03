import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeArgs } from '../support/programs/node-args.ts';
import { itWhere } from '../support/some-tests.ts';
import { schemaErrors } from './output-schema.ts';
import { run as runWith } from './run-in-memory.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retry-run-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a script of the shell under options; the folder is `$F`. */
function run(script: string, ...options: readonly string[]) {
  const env = { PATH: process.env['PATH'], F: folder };
  return runWith(['run', '--base', '1ms', ...options, '--', 'sh', '-c', script], { env });
}

/** The arguments by which a process of its own runs the program. */
function programOf(script: string, ...options: readonly string[]): readonly string[] {
  return [...nodeArgs(), PROGRAM, 'run', '--base', '1ms', ...options, '--', 'sh', '-c', script];
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const COUNT = 'echo x >> $F/count; ';

describe('retry run', () => {
  it('prints what the command prints, and nothing of its own, when it succeeds', async () => {
    const { out, err, exitCode } = await run('echo out; echo err >&2');

    expect({ out, err, exitCode }).toEqual({ out: 'out\n', err: 'err\n', exitCode: 0 });
  });

  it('passes a character on whole whose bytes come one by one', async () => {
    const slowly = "printf '\\342'; sleep 0.2; printf '\\202'; sleep 0.2; printf '\\254'";

    const { out, err } = await run(`${slowly}; { ${slowly}; } >&2`);

    expect({ out, err }).toEqual({ out: '€', err: '€' });
  });

  it('repeats until it succeeds, and says so on standard error', async () => {
    const { out, err, exitCode } = await run(`${COUNT}echo $RETRY_ATTEMPT; [ $RETRY_ATTEMPT = 3 ] || exit 7`);

    expect({ out, exitCode }).toEqual({ out: '1\n2\n3\n', exitCode: 0 });
    expect(err).toMatch(/retry: attempt 1 of 3 failed: exit status 7\. Next in .*\n.*2 of 3/);
    expect(err).toMatch(/retry: succeeded at attempt 3 after /);
  });

  it('passes the exit status of the last attempt on', async () => {
    const { err, exitCode } = await run('exit $((40 + RETRY_ATTEMPT))', '--attempts', '2');

    expect(exitCode).toBe(42);
    expect(err).toMatch(/gave up after 2 attempts in .*: exit status 42; no attempts are left/);
  });

  it('gives the command its attempt and how many there are', async () => {
    const { out } = await run('echo $RETRY_ATTEMPT/$RETRY_MAX_ATTEMPTS', '--attempts', '9');

    expect(out).toBe('1/9\n');
  });

  it.each([
    [['--on-exit', '1,7'], 7, 3],
    [['--on-exit', '1,7'], 2, 1],
    [['--on-exit', '64-78'], 70, 3],
    [['--stop-on-exit', '2'], 2, 1],
    [['--stop-on-exit', '2'], 3, 3],
  ])('retries by exit status: %j with %i', async (options, status, attempts) => {
    const { exitCode } = await run(`${COUNT}exit ${status}`, ...options);

    expect(exitCode).toBe(status);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n'.repeat(attempts));
  });

  it('takes a policy, which options change', async () => {
    const policy = '{"maxAttempts":5,"backoff":{"type":"constant","base":"1ms"},"retryOn":[{"code":7}]}';

    const { err } = await run('exit 7', '--policy', policy, '--attempts', '2');

    expect(err).toContain('gave up after 2 attempts');
  });

  it('does not repeat a command that a signal of people ended', async () => {
    const { exitCode, signal } = await run(`${COUNT}kill -INT $$`);

    expect({ exitCode, signal }).toEqual({ exitCode: 130, signal: 'SIGINT' });
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
  });

  it('repeats a command that was killed, and ends as it did', async () => {
    const { exitCode, signal } = await run(`${COUNT}kill -KILL $$`, '--attempts', '2');

    expect({ exitCode, signal }).toEqual({ exitCode: 137, signal: 'SIGKILL' });
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\nx\n');
  });

  it('ends a command that takes too long, with everything that it started', async () => {
    const script = `${COUNT}(trap '' TERM; sleep 60; sleep 60) & echo $! > $F/child; sleep 60`;

    const { exitCode, err } = await run(
      script,
      '--timeout',
      '500ms',
      '--kill-after',
      '200ms',
      '--attempts',
      '2',
    );
    const child = Number(readFileSync(join(folder, 'child'), 'utf8'));

    expect(exitCode).toBe(124);
    expect(err).toContain('as it took too long; no attempts are left');
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\nx\n');
    await until(() => isGone(child));
  });

  it('ends all attempts at the total time', async () => {
    const { exitCode, err } = await run(`sleep 60`, '--total', '300ms', '--attempts', '9');

    expect(exitCode).toBe(124);
    expect(err).toContain('gave up after 1 attempt');
    expect(err).toContain('the total time is used up');
  });

  it('does not repeat what cannot be started', async () => {
    const missing = await runWith(['run', '--', join(folder, 'nothing')]);
    const refused = await runWith(['run', '--', folder]);

    expect(missing).toMatchObject({
      exitCode: 127,
      err: expect.stringContaining('there is no such command'),
    });
    expect(refused).toMatchObject({ exitCode: 126, err: expect.stringContaining('EACCES') });
  });

  itWhere(process.platform !== 'win32', 'a system other than Windows').each([
    ['ENOTDIR', [fileURLToPath(new URL('below', `${import.meta.url}/`))]],
    ['ENAMETOOLONG', ['x'.repeat(300)]],
    ['E2BIG', ['true', 'x'.repeat(140_000)]],
  ])('ends with 126 where the system refuses the start: %s', async (code, command) => {
    const { err, exitCode } = await runWith(['run', '--', ...command]);

    expect(err).toContain(`it cannot be started (${code})`);
    expect(exitCode).toBe(126);
  });

  it.each([[['']], [['sh', '-c', 'a\0b']]])('refuses %j, which is no command', async (command) => {
    expect(await runWith(['run', '--', ...command])).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('the command must have a name'),
    });
  });

  it('prints a summary as JSON on standard error, as the published schema describes it', async () => {
    const { out, err } = await run('echo out; exit 7', '--json', '--attempts', '2');

    expect(out).toBe('out\nout\n');
    expect(schemaErrors('run', err)).toEqual([]);
    expect(JSON.parse(err)).toMatchObject({ outcome: 'failed', reason: 'exhausted', exitCode: 7 });
  });

  it('says nothing with --quiet', async () => {
    expect((await run('exit 7', '--quiet')).err).toBe('');
  });

  it('refuses what is not UTF-8: Node has changed it already', async () => {
    const argument = await runWith(['run', '--', 'touch', 'caf\ufffd'], {});
    const variable = await runWith(['run', '--', 'true'], { env: { WHERE: '/caf\ufffd' } });

    expect([argument, variable].map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    expect(argument.err).toContain('An argument of the command is not UTF-8');
    expect(variable.err).toContain('The variable WHERE is not UTF-8');
  });

  it('leaves the arguments of the command alone', async () => {
    const { out } = await runWith(['run', 'printf', '%s.', '--json', '--', '--help'], {
      env: { PATH: process.env['PATH'] },
    });

    expect(out).toBe('--json.--.--help.');
  });

  it.each([
    [['--on-exit', '0'], 'Write exit statuses from 1 to 255'],
    [['--on-exit', 'SIGNONE'], 'Write exit statuses from 1 to 255'],
    [['--attempts', '0'], 'Write an integer of at least 1'],
    [['--timeout', '10'], 'Write its unit: 10s or 10ms.'],
    [['--timeout', '0.5'], 'Write its unit: 0.5s or 0.5ms.'],
  ])('refuses what is wrong before it starts anything: %j', async (options, message) => {
    const { err, exitCode } = await run(`${COUNT}`, ...options);

    expect(exitCode).toBe(2);
    expect(err).toContain(message);
    expect(existsSync(join(folder, 'count'))).toBe(false);
  });
});

describe('the process of retry run', () => {
  it('starts a command once whose reader has gone', async () => {
    const script = `${COUNT}kill -PIPE $$`;
    const child = spawn(process.execPath, programOf(script), { env: { ...process.env, F: folder } });
    const [code] = await new Promise<unknown[]>((resolve) => child.on('exit', (...end) => resolve(end)));

    expect(code).toBe(141);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGALRM'] as const)(
    'passes %s to the command, and ends as it does',
    async (signal) => {
      const script = `${COUNT}echo $$ > $F/pid; exec sleep 60`;
      const child = spawn(process.execPath, programOf(script), { env: { ...process.env, F: folder } });
      await until(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '');

      child.kill(signal);
      const [code, endedBy] = await new Promise<unknown[]>((resolve) =>
        child.on('exit', (...end) => resolve(end)),
      );

      expect([code, endedBy]).toEqual([null, signal]);
      expect(isGone(Number(readFileSync(join(folder, 'pid'), 'utf8')))).toBe(true);
      expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
    },
  );

  it.each(['SIGUSR1', 'SIGUSR2'] as const)('passes %s to the command, and goes on', async (signal) => {
    const script = `trap 'exit 0' ${signal.slice(3)}; touch $F/ready; while :; do sleep 0.05; done`;
    const child = spawn(process.execPath, programOf(script), { env: { ...process.env, F: folder } });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += String(chunk);
    });
    await until(() => existsSync(join(folder, 'ready')));

    child.kill(signal);
    const ended = await new Promise<unknown[]>((resolve) => child.on('exit', (...end) => resolve(end)));

    expect(ended).toEqual([0, null]);
    expect(err).not.toContain('Debugger');
  });

  it('does not take for a timeout that it was stopped itself while its command ended', async () => {
    const script = `${COUNT}touch $F/ready; sleep 1`;
    const args = programOf(script, '--timeout', '4s');
    const child = spawn(process.execPath, args, { env: { ...process.env, F: folder } });
    await until(() => existsSync(join(folder, 'ready')));

    child.kill('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    child.kill('SIGCONT');
    const ended = await new Promise<unknown[]>((resolve) => child.on('exit', (...end) => resolve(end)));

    expect(ended).toEqual([0, null]);
    expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\n');
  });

  it('passes on the exit status of a command that ends itself in order after SIGTERM', async () => {
    const script = `trap 'exit 5' TERM; touch $F/ready; while :; do sleep 0.05; done`;
    const child = spawn(process.execPath, programOf(script), { env: { ...process.env, F: folder } });
    await until(() => existsSync(join(folder, 'ready')));

    child.kill('SIGTERM');
    const code = await new Promise((resolve) => child.on('exit', resolve));

    expect(code).toBe(5);
  });

  it.each(['2>&1 | true; exit $PIPESTATUS', ...(existsSync('/dev/full') ? ['2> /dev/full'] : [])])(
    'retries on, and ends as the command does, where its own lines cannot be written: %s',
    (redirected) => {
      const script = `"$0" "$@" ${redirected}`;
      const { status } = spawnSync('bash', ['-c', script, process.execPath, ...programOf(`${COUNT}exit 7`)], {
        env: { ...process.env, F: folder },
      });

      expect(readFileSync(join(folder, 'count'), 'utf8')).toBe('x\nx\nx\n');
      expect(status).toBe(7);
    },
  );

  it('gives the command its own standard input and output', () => {
    const { stdout, status } = spawnSync(process.execPath, programOf('cat; exit 3', '--attempts', '1'), {
      input: 'typed',
      encoding: 'utf8',
    });

    expect({ stdout, status }).toEqual({ stdout: 'typed', status: 3 });
  });
});

/** Returns whether a process has ended; what its parent has not waited for yet is a zombie. */
function isGone(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' });
  return stdout.trim() === '' || stdout.startsWith('Z');
}

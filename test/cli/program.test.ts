import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../packages/cli/src/commands/create-program.ts';
import { completeEnvironment } from '../../packages/cli/src/environment.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { readText } from '../support/repository.ts';
import { itWhere } from '../support/some-tests.ts';
import { definitions, schemaErrors } from './output-schema.ts';
import { run } from './run-in-memory.ts';
import { itPrintsAsBefore } from './terminal-output.ts';

process.env['TZ'] = 'UTC';

const PROGRAM = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url));

/** A call of each command that prints a report. */
const CALLS: Readonly<Record<string, readonly string[]>> = {
  preview: ['preview', '{"maxAttempts":4,"backoff":{"type":"decorrelated","base":"2s"}}', '--seed', '3'],
  lint: ['lint', '{"maxAttempts":"Infinity","jitter":"none"}', '{"retries":1}'],
  explain: ['explain', '{"retryOn":[{"status":503}]}', '--error', '{"status":503}'],
  diff: ['diff', '{}', '{"maxAttempts":"Infinity"}'],
  from: ['from', 'jobbers', '{"max_retries":2}'],
  to: [
    'to',
    'bullmq',
    '{"backoff":{"type":"linear","base":"1s"},"maxAttempts":5,"retryOn":[{"status":503}]}',
  ],
  simulate: ['simulate', '{"maxAttempts":3}', '--capacity', '20/s', '--timeout', '500ms', '--outage', '10s'],
  completion: ['completion', 'fish'],
};

describe.each(Object.entries(CALLS))('retry %s', (name, args) => {
  it('prints JSON as the published schema describes it', async () => {
    const { out, err } = await run([...args, '--json']);

    expect(err).toBe('');
    expect(schemaErrors(name, out)).toEqual([]);
  });

  it('prints colours on a terminal only, and never with NO_COLOR or --no-color', async () => {
    const colour = '\u001b[';
    const plain = [
      await run(args),
      await run(args, { columns: 80, env: { NO_COLOR: '1' } }),
      await run(args, { columns: 80, env: { TERM: 'dumb' } }),
      await run([...args, '--no-color'], { columns: 80 }),
    ];

    expect(plain.map(({ out, err }) => `${out}${err}`.includes(colour))).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  if (name === 'completion') return; // prints a script for a shell

  itPrintsAsBefore(`golden/${name}.txt`, (view) => run(args, view));
});

describe('output.schema.json', () => {
  it('describes every command of the program', () => {
    const environment = completeEnvironment({});
    const names = createProgram(environment, () => {}).commands.flatMap((command) =>
      command.commands.length === 0
        ? [command.name()]
        : command.commands.map((own) => `${command.name()}-${own.name()}`),
    );

    expect(names.filter((name) => !definitions.includes(name))).toEqual([]);
    // The others are parts of these, and begin with no command's name and a hyphen.
    expect(definitions.filter((name) => name.includes('-') && !names.includes(name))).toEqual([]);
  });
});

describe('the program retry', () => {
  it('colours the titles of its help on a terminal, and not with --no-color', async () => {
    const [coloured, plain] = [
      await run(['run', '--help'], { columns: 80 }),
      await run(['run', '--help', '--no-color'], { columns: 80 }),
    ];

    expect(coloured.out).toContain('\u001b[1mOptions:');
    expect(plain.out).not.toContain('\u001b');
    expect(plain.out).toContain('Options:');
  });

  it('lists its commands without an argument and with --help', async () => {
    const [bare, help] = [await run([]), await run(['--help'])];

    expect(bare).toEqual(help);
    expect(help).toMatchObject({ exitCode: 0, err: '' });
    for (const name of Object.keys(CALLS)) expect(help.out).toContain(`\n  ${name} `);
    expect(help.out).toContain('\n  run ');
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(readText('packages/cli/package.json'));

    expect(await run(['--version'])).toMatchObject({ out: `${version}\n`, exitCode: 0 });
  });

  it.each([
    [['prevew', '{}'], "unknown command 'prevew'. Did you mean retry preview?"],
    [['pause', 'mail@1'], 'Did you mean retry lanes hold or retry operations pause?'],
    [['health'], 'Did you mean retry doctor?'],
    [['queue', 'pause'], 'Did you mean retry lanes?'],
    [['lanes', 'pause', 'mail@1'], 'Did you mean retry lanes hold?'],
    [['dlq', 'retry', 'a'], 'Did you mean retry dlq redrive?'],
    [['retry', 'a'], 'Did you mean retry dlq redrive?'],
    [['cancel', 'a'], 'Did you mean retry runs cancel or retry operations cancel?'],
    [['runs', 'list'], 'Did you mean retry runs ls?'],
    [['runs', 'delete', 'a'], 'Did you mean retry runs forget?'],
    [['schedules', 'delet', 'a'], "unknown command 'delet'. --help lists"],
    [['constructor'], "unknown command 'constructor'. --help lists"],
    [['preview', '{}', '--limti', '3'], "unknown option '--limti'. Did you mean --limit?"],
    [['run', '--retries', '3', '--', 'true'], "unknown option '--retries'. Use --attempts, which counts"],
    [['help'], "unknown command 'help'. Use retry --help"],
    [['preview', '{}', '--attempt', '5'], 'Write its unit: 5s or 5ms.'],
    [['preview'], "missing required argument 'policy'."],
    [['preview', '{}', '--limit', '0'], 'Write an integer of at least 1'],
    [['preview', '{}', '--attempt', 'soon'], 'Write 500ms, 2s, 5m or 1h.'],
    [['preview', '{}', '{}'], 'too many arguments'],
    [['preview', 'none.json'], 'none.json cannot be read (ENOENT).'],
  ])('refuses %j with what is wrong and what to do', async (args, message) => {
    const { out, err, exitCode } = await run(args);

    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
    expect(err).toContain(message);
    expect(err).toMatch(/^retry: /);
  });

  it('prints errors as JSON with --json, as the published schema describes them', async () => {
    const ran = [
      await run(['preview', '{"retries":1}', '--json']),
      await run(['preview', '--json']),
      await run(['preview', 'none.json', '--json']),
    ];

    expect(ran.map(({ exitCode, out, err }) => [exitCode, out, schemaErrors('error', err)])).toEqual([
      [2, '', []],
      [2, '', []],
      [2, '', []],
    ]);
  });

  it('prints a stack with --verbose only', async () => {
    expect((await run(['preview', 'none.json', '--verbose'])).err).toMatch(/\n {4}at /);
    expect((await run(['preview', 'none.json'])).err).not.toMatch(/\n {4}at /);
  });

  it('shows no control characters of a policy', async () => {
    const { out, err } = await run(['explain', '{}', '--error', '{"message":"\\u001b[31mred"}']);

    expect(out + err).not.toContain('\u001b');
  });

  it('shows no passwords of its arguments', async () => {
    const { err } = await run(['preview', 'redis://me:s3cret@host/1']);

    expect(err).toContain('cannot be read');
    expect(err).not.toContain('s3cret');
  });

  it('never prints a stack, whatever the arguments are', async () => {
    const words = fc.oneof(
      fc.constantFrom(...Object.keys(CALLS), ...Object.values(CALLS).flat()),
      fc.constantFrom('--json', '--limit', '--seed', '--at', '--error', '--ignore', '--attempt', '--elapsed'),
      fc.constantFrom(
        'runs',
        'ls',
        'show',
        'lanes',
        'hold',
        'audit',
        'migrate',
        '--url',
        '--in',
        'redis://0:1',
      ),
      fc.constantFrom('run', '--on-exit', '--policy', '--timeout', '--base', '1,7', '10s', 'no-such-command'),
      fc.constantFrom(
        '-',
        '--',
        '',
        '0',
        '-1',
        '1e99',
        '99999999999999999999',
        'null',
        '[]',
        '{"a":',
        '__proto__',
      ),
      fc.json().map((text) => ` ${text}`),
      // A path could be a large folder of this machine.
      fc.string().filter((text) => !/[/*.~]/.test(text)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 6 }), async (args) => {
        const { exitCode, out, err } = await run(args, { stdin: '{}', env: { PATH: '/none' } });

        expect([0, 1, 2, 3, 126, 127]).toContain(exitCode);
        expect(out + err).not.toMatch(/\n {4}at |This is a bug/);
      }),
    );
  });

  it('ends in silence when its reader has gone', () => {
    const { stderr, status } = spawnSync(
      'bash',
      [
        '-c',
        `"$0" "$@" completion bash | true; exit \${PIPESTATUS[0]}`,
        process.execPath,
        ...nodeArgs(),
        PROGRAM,
      ],
      { encoding: 'utf8' },
    );

    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });

  it.each([
    [`preview '{"maxAttempts":5}'`, '| true', 0],
    [`lint '{"retries":1}'`, '| true', 1],
    [`preview '{"retries":1}'`, '2>&1 | true', 2],
  ])('ends with the same status when what it prints cannot be written: %s %s', (args, reader, expected) => {
    const script = `"$0" "$@" ${args} ${reader}; exit \${PIPESTATUS[0]}`;
    const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, ...nodeArgs(), PROGRAM], {
      encoding: 'utf8',
    });

    expect({ status, stderr }).toEqual({ status: expected, stderr: '' });
  });

  itWhere(existsSync('/dev/full'), '/dev/full')(
    'says without a stack that what it was asked for cannot be written',
    () => {
      const script = `"$0" "$@" preview '{}' > /dev/full`;
      const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, ...nodeArgs(), PROGRAM], {
        encoding: 'utf8',
      });

      expect(stderr).toMatch(/^retry: standard output cannot be written: .*ENOSPC.*\n$/);
      expect(status).toBe(2);
    },
  );
});

describe('retry completion', () => {
  it.each([
    [['retry', ''], 'preview'],
    [['retry', 'pre'], 'preview'],
    [['retry', 'preview', '--se'], '--seed'],
    [['retry', 'from', 'cel'], 'celery'],
    [['retry', 'run'], 'runs'],
    [['retry', 'runs', 'resch'], 'reschedule'],
    [['retry', 'runs', 'ls', '--at'], '--attempt'],
  ])('completes %j in bash', async (words, expected) => {
    const { out } = await run(['completion', 'bash']);
    const script = `${out}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
      COMP_CWORD=${words.length - 1}; _retry; printf '%s\\n' "\${COMPREPLY[@]}"`;

    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });

    expect(stderr).toBe('');
    expect(stdout.split('\n')).toContain(expected);
  });

  it.each(['zsh', 'fish'])('is a script that %s accepts, where there is one', async (shell) => {
    const { out } = await run(['completion', shell]);
    const { error, status, stderr } = spawnSync(shell, ['-n', '-c', out], { encoding: 'utf8' });

    expect(out).toContain('preview');
    if (error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { root } from '../support/repository.ts';
import { run } from './run-in-memory.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retry-lint-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

async function lint(...args: readonly string[]) {
  const { out, err, exitCode } = await run(['lint', ...args, '--json'], { cwd: folder });
  return { exitCode, err, ...(out === '' ? {} : JSON.parse(out)) };
}

/** Lints one module. @returns `line call code` of each finding, and the reasons of what was not checked */
async function lintModule(text: string) {
  write('a.ts', text);
  const { findings, unread, policies } = await lint('a.ts');
  const lines = findings.map(
    ({ line, call, code, path }: Record<string, unknown>) => `${line} ${call} ${code} ${path}`,
  );
  return { policies, lines, unread: unread.map(({ reason }: { reason: string }) => reason) };
}

describe('retry lint of JSON', () => {
  it('reports warnings with path, value and cure, and exit status 1', async () => {
    const { out, exitCode } = await run([
      'lint',
      '{"maxAttempts":5,"maxDelay":"10ms","retryOn":[{"status":503}]}',
    ]);

    expect(exitCode).toBe(1);
    expect(out).toMatchInlineSnapshot(`
      "(policy)
        CAP_BELOW_BASE
          maxDelay: the cap is below the base, so the backoff never shows.
          Raise maxDelay above backoff.base.

      1 policy in 1 file: 0 errors, 1 warning.
      "
    `);
  });

  it('ends with 0 if nothing is found', async () => {
    const { out, exitCode } = await run(['lint', '{"retryOn":[{"status":503}]}']);

    expect({ out, exitCode }).toEqual({ out: '1 policy in 1 file: nothing found.\n', exitCode: 0 });
  });

  it('reports a policy that is not valid as errors, and goes on with the others', async () => {
    write('policies/one.json', '{"retries":3}');
    write('policies/deep/two.json', '{"retryOn":[{"status":503}]}');
    write('policies/three.json', '{ no json');

    const { findings, policies, exitCode } = await lint('policies/**/*.json');

    expect({ policies, exitCode }).toEqual({ policies: 3, exitCode: 1 });
    expect(findings).toMatchObject([
      { file: 'policies/one.json', severity: 'error', path: 'retries' },
      { file: 'policies/three.json', severity: 'error', message: 'must be JSON' },
    ]);
  });

  it('leaves out the codes that are ignored', async () => {
    const { exitCode, findings } = await lint('{}', '--ignore', 'NO_JITTER,RETRIES_EVERYTHING');

    expect({ exitCode, findings }).toEqual({ exitCode: 0, findings: [] });
  });

  it('refuses to ignore a code that there is not, and names those that there are', async () => {
    const { exitCode, err } = await lint('{}', '--ignore', 'NO_JITTER,NO_GITTER');

    expect(exitCode).toBe(2);
    expect(err).toContain('--ignore has no code NO_GITTER.');
    expect(err).toContain('RETRIES_EVERYTHING');
  });

  it('refuses a pattern that matches no file', async () => {
    const { exitCode, err } = await lint('nothing/**/*.ts');

    expect(exitCode).toBe(2);
    expect(err).toContain('No file matches nothing/**/*.ts');
  });
});

describe('retry lint of modules', () => {
  it('finds policies where they are defined and where they are used', async () => {
    const { lines, policies } = await lintModule(`
      import { definePolicy, extendPolicy } from '@retry/core';
      import { retry, tryRetry, withRetry as wrap } from '@retry/inprocess';
      import * as worker from '@retry/worker';
      const base = definePolicy({ retryOn: [{ status: 503 }] });
      export const more = extendPolicy(base, { jitter: 'none' });
      export const f = wrap(async () => 1, { retryOn: [{ code: 'X' }], maxDelay: '10ms' });
      export const g = () => retry(f, { backoff: { type: 'none' }, stopOn: [TypeError] });
      export const h = () => tryRetry(f, base);
      export const task = worker.defineTask({
        name: 'mail',
        retry: { maxAttempts: Infinity, retryOn: [{ code: 'X' }] },
        run: async () => {},
      });
    `);

    expect(policies).toBe(5);
    expect(lines).toEqual([
      '6 extendPolicy NO_JITTER jitter',
      '7 withRetry CAP_BELOW_BASE maxDelay',
      '8 retry NO_WAIT backoff',
      '12 defineTask retry UNBOUNDED maxAttempts',
    ]);
  });

  it('computes constants, spreads, templates, patterns and what only TypeScript reads', async () => {
    const { lines, unread } = await lintModule(`
      import { definePolicy, httpTransient, type PolicyInput, transientNetwork } from '@retry/core';
      const SECOND = 1_000, unit = \`\${'s'}\` as const;
      const shared = { jitter: 'none', maxDelay: -(-60) * SECOND } satisfies PolicyInput;
      export const one = definePolicy({
        ...shared,
        totalTimeout: '5' + unit,
        ['attemptTimeout']: 5 * SECOND,
        retryOn: [...transientNetwork, ...httpTransient, { message: /(a+)+$/ }],
      } as PolicyInput);
    `);

    expect(unread).toEqual([]);
    expect(lines.map((line: string) => line.split(' ')[2])).toEqual([
      'NESTED_QUANTIFIERS',
      'NO_JITTER',
      'TIMEOUT_OVER_DEADLINE',
    ]);
  });

  it('takes classes and functions for what they are, wherever they come from', async () => {
    const { lines, unread, policies } = await lintModule(`
      import { definePolicy } from '@retry/core';
      import { Timeout } from './errors.ts';
      import * as errors from './errors.ts';
      class Busy extends Error {}
      const isBusy = (error: unknown) => error instanceof Busy;
      export default definePolicy({
        retryOn: [Busy, Timeout, errors.Timeout, isBusy, (e) => true],
        retryIf: function () { return Math.random() > 0.5; },
        backoff: { type: 'custom', strategy: (retry) => retry * 10 },
      });
    `);

    expect({ lines, unread, policies }).toEqual({ lines: [], unread: [], policies: 1 });
  });

  it('reports what definePolicy would throw', async () => {
    const { lines } = await lintModule(`
      import { definePolicy } from '@retry/core';
      export const one = definePolicy({ retries: 3, retryIf: async () => true });
    `);

    expect(lines).toEqual([
      '3 definePolicy INVALID_OPTIONS retries',
      '3 definePolicy INVALID_OPTIONS retryIf',
    ]);
  });

  it.each([
    ['an imported value', "import { limit } from './b.ts';", 'limit'],
    ['a variable', 'let limit = 3;', 'limit'],
    ['a parameter of the same name', 'const limit = 3; export const k = (limit: number) => limit;', 'limit'],
    ['a call', '', 'compute()'],
  ])('does not guess %s, and says where it is', async (_name, line, value) => {
    const { lines, unread, policies } = await lintModule(`
      import { definePolicy } from '@retry/core';
      ${line}
      export const one = definePolicy({ maxAttempts: ${value} });
    `);

    expect({ lines, policies }).toEqual({ lines: [], policies: 0 });
    expect(unread).toEqual([expect.stringContaining('is not in this file')]);
  });

  it('leaves alone functions of the same name from elsewhere', async () => {
    const { policies } = await lintModule(`
      import retry from 'async-retry';
      import '@retry/core';
      const definePolicy = (input: object) => input;
      export const one = definePolicy({ retries: 3 });
      export const two = () => retry(() => 1, { retries: 3 });
    `);

    expect(policies).toBe(0);
  });

  it('never runs the program', async () => {
    const { policies } = await lintModule(`
      import { definePolicy } from '@retry/core';
      process.exit(42);
      export const one = definePolicy(process.exit(42));
      export const two = definePolicy({ retryOn: [{ status: 503 }] });
    `);

    expect(policies).toBe(1);
  });

  it('says which file it could not parse', async () => {
    write('a.ts', "import '@retry/core'; const = 3");

    const { unread, exitCode } = await lint('*.ts');

    expect(exitCode).toBe(0);
    expect(unread).toMatchObject([{ file: 'a.ts', reason: expect.stringContaining('could not be parsed') }]);
  });

  it('reads every policy of the documentation', async () => {
    const { out } = await run(['lint', 'docs/examples/*.ts', '--json'], { cwd: root });
    const { unread, policies, findings } = JSON.parse(out);

    expect({
      unread,
      errors: findings.filter(({ severity }: { severity: string }) => severity === 'error'),
    }).toEqual({ unread: [], errors: [] });
    expect(policies).toBeGreaterThan(10);
  });
});

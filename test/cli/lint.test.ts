import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('retry lint', () => {
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

      1 policy: 0 errors, 1 warning.
      "
    `);
  });

  it('ends with 0 if nothing is found', async () => {
    const { out, exitCode } = await run(['lint', '{"retryOn":[{"status":503}]}']);

    expect({ out, exitCode }).toEqual({ out: '1 policy: nothing found.\n', exitCode: 0 });
  });

  it('reports a policy that is not valid as errors, and goes on with the others', async () => {
    write('policies/one.json', '{"retries":3}');
    write('policies/deep/two.json', '{"retryOn":[{"status":503}]}');
    write('policies/three.json', '{ no json');

    const { findings, policies, exitCode } = await lint(
      'policies/one.json',
      'policies/deep/two.json',
      'policies/three.json',
    );

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

  it('refuses a program, and says where its policy is checked', async () => {
    write('a.ts', 'export const policy = definePolicy({});');

    const { exitCode, err } = await lint('{}', 'a.ts');

    expect(exitCode).toBe(2);
    expect(err).toContain('lintPolicy(policy) of @retry/core');
  });

  it('prints no control character of a path, a message or the name of a file', async () => {
    const { out } = await run(['lint', '{"\\u001b[31mre\\u202etries\\u009b":3}'], { cwd: folder });

    expect(out).toContain('\\u001b[31mre\\u202etries\\u009b is not a known key');
    expect(out).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  });
});

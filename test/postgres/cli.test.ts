import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { migrationSql } from '@retry/postgres';
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../packages/postgres/src/schema/migrations.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';

const PROGRAM = fileURLToPath(new URL('../../packages/postgres/src/cli.ts', import.meta.url));

/** Runs the program as a user would. */
function runProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const command = [...nodeArgs(), PROGRAM, ...args];
  return new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>(
    (resolve) => {
      const clean = { ...process.env, DATABASE_URL: '', ...env };
      execFile(process.execPath, command, { env: clean }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    },
  );
}

describe('npx @retry/postgres', () => {
  it('prints the migration as SQL', async () => {
    const printed = await runProgram(['migrate', '--sql', '--schema', 'jobs']);

    expect(printed).toEqual({ code: 0, stdout: `${migrationSql({ schema: 'jobs' })};\n`, stderr: '' });
  });

  it.each([[[]], [['--help']]])('prints its usage, given %j', async (args) => {
    const { code, stdout } = await runProgram(args);

    expect(code).toBe(0);
    expect(stdout).toMatch(/^npx @retry\/postgres migrate \[options\]/);
  });

  it.each([
    [['migrate'], 'no database is given. Set --url or DATABASE_URL, or use --sql'],
    [
      ['migrate', '--url', 'postgres//app:s3cr3t@h/db'],
      '--url must be the URL of a Postgres database, got "***@h/db". Write it like',
    ],
    [['migrat', '--sql'], 'the only command is migrate, got "migrat"'],
    [['migrate', '--sqll'], "Unknown option '--sqll'"],
    [
      ['migrate', '--sql', '--schema', ''],
      'schema must be a name of 1 to 50 bytes without $, backslashes and control characters, got "". ',
    ],
  ])('refuses %j', async (args, message) => {
    const { code, stdout, stderr } = await runProgram(args);

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describeOnPostgres('npx @retry/postgres migrate', (server) => {
  const useSchema = async (test: (schema: string) => Promise<void>): Promise<unknown> => {
    const schema = `cli_${randomUUID().slice(0, 8)}`;
    await test(schema);
    const pool = openPool(server().url, 1);
    const { rows } = await pool.query(`select version from ${schema}.schema_version`);
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
    return rows;
  };

  it('migrates a schema to the version of the package', async () => {
    const rows = await useSchema(async (schema) => {
      const given = await runProgram(['migrate', '--url', server().url, '--schema', schema]);
      const again = await runProgram(['migrate', '--schema', schema], { DATABASE_URL: server().url });

      expect(given).toEqual({
        code: 0,
        stdout: `The schema ${schema} has version ${MIGRATIONS.length}.\n`,
        stderr: '',
      });
      expect(again).toEqual(given);
    });

    expect(rows).toEqual([{ version: MIGRATIONS.length }]);
  });

  it('prints SQL that runs, also a second time', async () => {
    const rows = await useSchema(async (schema) => {
      const { stdout } = await runProgram(['migrate', '--sql', '--schema', schema]);
      const pool = openPool(server().url, 1);
      await pool.query(stdout);
      await pool.query(stdout);
      await pool.end();
    });

    expect(rows).toEqual([{ version: MIGRATIONS.length }]);
  });

  it('prints the error of the server when it fails', async () => {
    const url = new URL(server().url);
    url.pathname = '/nowhere';

    const { code, stderr } = await runProgram(['migrate', '--url', url.href]);

    expect(code).toBe(1);
    expect(stderr).toContain('database "nowhere" does not exist');
  });
});

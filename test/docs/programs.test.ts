import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { listCodeBlocks } from './code-blocks.ts';
import type { Program } from './run-program.ts';
import { listPrograms, runProgram } from './run-program.ts';

const programs = listPrograms();
const needs = (program: Program, variable: string): boolean =>
  program.some(({ text }) => text.includes(variable));

const SERVERS = [
  { variable: 'REDIS_URL', describe: describeOnPrivateRedis, start: () => startPrivateRedis() },
  { variable: 'DATABASE_URL', describe: describeOnPrivatePostgres, start: () => startPrivatePostgres() },
] as const;

/** Where the blocks of a program are: its name in the report. */
const placesOf = (program: Program): string => program.map(({ page, line }) => `${page}:${line}`).join(', ');

describe('the programs of the documentation', () => {
  it('are many', () => {
    expect(programs.length).toBeGreaterThan(15);
  });

  it('say what they print, each that is written in JavaScript', () => {
    const silent = listCodeBlocks().filter(
      ({ language, prints, file }) => language === 'js' && prints.length === 0 && file === undefined,
    );

    expect(silent.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  const alone = programs.filter((program) => SERVERS.every(({ variable }) => !needs(program, variable)));

  it.each(alone.map((program) => [placesOf(program), program] as const))(
    'runs as it is, and prints what its comments say: %s',
    (_places, program) => expectToPrint(program),
  );
});

for (const { variable, describe: describeOnServer, start } of SERVERS) {
  describeOnServer(`the programs of the documentation that read ${variable}`, () => {
    let server: { readonly url: string; readonly stop: () => Promise<unknown> };
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server.stop());

    const own = programs.filter((program) => needs(program, variable));

    it.each(own.map((program) => [placesOf(program), program] as const))(
      'runs as it is, and prints what its comments say: %s',
      (_places, program) => expectToPrint(program, { [variable]: server.url }),
    );
  });
}

async function expectToPrint(program: Program, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const outputs = await runProgram(program, env);

  expect(outputs.map(({ stdout, stderr }) => ({ stdout, stderr }))).toEqual(
    outputs.map(({ prints }) => ({ stdout: prints, stderr: '' })),
  );
}

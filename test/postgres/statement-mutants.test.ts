import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { brokerCommands } from '../support/broker-commands.ts';
import { createModel } from '../support/broker-model.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { createPairs } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';
import { OPERATION_MUTANTS } from './operation-mutants.ts';
import { MUTANTS as STATEMENT_MUTANTS } from './statement-mutants.ts';

const MUTANTS = [...STATEMENT_MUTANTS, ...OPERATION_MUTANTS];

const COMMANDS = { maxCommands: 200, size: 'max' } as const;

describeOnPostgres('the differential test', (server) => {
  let pool: pg.Pool | undefined;
  beforeAll(() => {
    pool = openPool(server().url, 1);
  });
  afterAll(() => pool?.end());

  it.each(MUTANTS)('notices when $name', { timeout: 600_000 }, async ({ right, wrong, scene }) => {
    let isApplied = false;
    const pairs = await createPairs(pool ?? openPool(server().url, 1), (sql) => {
      isApplied ||= sql.includes(right);
      return sql.replaceAll(right, () => wrong);
    });
    const property = fc.asyncProperty(fc.commands(brokerCommands(), COMMANDS), async (commands) => {
      if (scene !== undefined) await scene(await pairs.open());
      const real = await pairs.open();

      await fc.asyncModelRun(() => ({ model: createModel(), real }), commands);
    });

    const details = await fc.check(property, { numRuns: 600, endOnFailure: true }).finally(pairs.close);

    expect({ isApplied, isNoticed: details.failed }).toEqual({ isApplied: true, isNoticed: true });
    // It differs in behaviour, and is still valid SQL.
    expect(String(details.errorInstance)).not.toMatch(/syntax error|does not exist/i);
  });

  it.each(MUTANTS.flatMap(({ name, scene }) => (scene === undefined ? [] : [{ name, scene }])))(
    'agrees on the scene of $name without the mistake',
    async ({ scene }) => {
      const pairs = await createPairs(pool ?? openPool(server().url, 1));
      const real = await pairs.open();

      await expect(scene(real).finally(pairs.close)).resolves.toBeUndefined();
    },
  );
});

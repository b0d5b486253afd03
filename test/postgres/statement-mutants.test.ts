import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokerCommands } from '../support/broker-commands.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { noticeMistake, playOn, scenesOf } from '../support/telling-scenes/mutant.ts';
import type { PairFactory } from './clocked-schema.ts';
import { createPairs } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';
import { MUTANTS } from './statement-mutants.ts';

describeOnPostgres('the differential test', (server) => {
  let pool: pg.Pool | undefined;
  beforeAll(() => {
    pool = openPool(server().url, 1);
  });
  afterAll(() => pool?.end());

  it.each(MUTANTS)('notices when $name', { timeout: 600_000 }, async (mutant) => {
    const { right, wrong } = mutant;
    let isApplied = false;
    const pairs = await createPairs(pool ?? openPool(server().url, 1), (sql) => {
      isApplied ||= sql.includes(right);
      return sql.replaceAll(right, () => wrong);
    });

    const error = await noticeMistake(mutant, pairs, brokerCommands()).finally(pairs.close);

    expect({ isApplied, isNoticed: error !== undefined }).toEqual({ isApplied: true, isNoticed: true });
    // It differs in behaviour, and is still valid SQL.
    expect(String(error)).not.toMatch(/syntax error|does not exist/i);
  });

  describe('without a mistake', () => {
    let pairs: PairFactory | undefined;
    beforeAll(async () => {
      pairs = await createPairs(pool ?? openPool(server().url, 1));
    });
    afterAll(() => pairs?.close());

    it.each(scenesOf(MUTANTS))('agrees on the scene that notices when $name', async ({ scene }) => {
      await expect(pairs && playOn(pairs, scene)).resolves.toBeUndefined();
    });
  });
});

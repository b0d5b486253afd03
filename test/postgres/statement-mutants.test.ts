import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { brokerCommands } from '../support/broker-commands.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { replaceSql } from '../support/sql-text.ts';
import { noticeMistake, playOn, scenesOf, smokeScenes } from '../support/telling-scenes/mutant.ts';
import type { MutablePairs } from './clocked-schema.ts';
import { createMutablePairs } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';
import { MUTANTS } from './statement-mutants.ts';

describeOnPostgres('the differential test', (server) => {
  let pool: pg.Pool | undefined;
  let pairs: MutablePairs | undefined;
  beforeAll(async () => {
    pool = openPool(server().url, 1);
    pairs = await createMutablePairs(pool);
  });
  afterAll(async () => {
    await pairs?.close();
    await pool?.end();
  });

  it.each(MUTANTS)('notices when $name', { timeout: 600_000 }, async (mutant) => {
    const { right, wrong } = mutant;
    const played = await pairs?.withMutated(
      replaceSql(right, wrong),
      async () => pairs && noticeMistake(mutant, pairs, brokerCommands()),
    );

    const error = played?.result;
    expect({ isApplied: played !== undefined, isNoticed: error !== undefined }).toEqual({
      isApplied: true,
      isNoticed: true,
    });
    // It differs in behaviour, and is still valid SQL.
    expect(String(error)).not.toMatch(/syntax error|does not exist/i);
  });

  const smoke = new Set(smokeScenes(MUTANTS).map(({ scene }) => scene));
  const others = scenesOf(MUTANTS).filter(({ scene }) => !smoke.has(scene));

  it.each(others)('agrees on the scene that notices when $name, without it', async ({ scene }) => {
    await expect(pairs && playOn(pairs, scene)).resolves.toBeUndefined();
  });
});

import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { compareBrokers, seedsOr } from './differential.ts';
import { openPool } from './open-broker.ts';

const SEEDS = seedsOr(60);

describeOnPostgres('the Postgres broker beside the memory broker', (server) => {
  it('answers the same, step by step, and agrees with the simple model', {
    timeout: SEEDS * 4_000,
  }, async () => {
    const pool = openPool(server().url, 1);

    const steps = await compareBrokers(pool, SEEDS).finally(() => pool.end());

    expect(steps).toBeGreaterThanOrEqual(SEEDS * 50);
  });
});

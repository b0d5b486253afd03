import type pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { type ClockedSchema, createClockedSchema } from '../postgres/clocked-schema.ts';
import { openPool } from '../postgres/open-broker.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { testPlayedCases } from './on-stage.ts';
import { openPostgresStage } from './postgres-stage.ts';

describeOnPostgres('the vectors of the lifecycle on Postgres', (server) => {
  let pool: pg.Pool;
  let schema: ClockedSchema;

  beforeAll(async () => {
    pool = openPool(server().url, 4);
    schema = await createClockedSchema(pool);
  });
  afterAll(async () => {
    await schema.drop();
    await pool.end();
  });

  testPlayedCases(() => openPostgresStage(pool, schema), { everyNth: 2 });
});

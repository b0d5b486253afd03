import { createPostgresBroker } from '@retry/postgres';
import { afterAll, beforeAll } from 'vitest';
import { createPairs } from '../postgres/clocked-schema.ts';
import type { TestSchema } from '../postgres/open-broker.ts';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { MUTANTS } from '../postgres/statement-mutants.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeSmoke } from './describe-smoke.ts';

describeOnPostgres('the Postgres broker', (server) => {
  let pool: ReturnType<typeof openPool> | undefined;
  let schema: TestSchema | undefined;
  beforeAll(async () => {
    pool = openPool(server().url, 2);
    schema = await createTestSchema(pool);
  });
  afterAll(async () => {
    await schema?.drop();
    await pool?.end();
  });

  describeSmoke({
    mutants: MUTANTS,
    openPairs: async () => createPairs(openPool(server().url, 1)),
    openClient: async () => createPostgresBroker({ url: server().url, schema: schema?.name ?? '' }),
  });
});

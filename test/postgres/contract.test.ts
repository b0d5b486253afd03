import { afterAll, beforeAll } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('on a real server', (server) => {
  let schema: TestSchema | undefined;
  let end: () => Promise<void> = async () => {};
  beforeAll(async () => {
    const pool = openPool(server().url);
    schema = await createTestSchema(pool);
    end = () => pool.end();
  });
  afterAll(async () => {
    await schema?.drop();
    await end();
  });

  describeBrokerContract('the Postgres broker', {
    open: (options) => schema?.open(options) ?? Promise.reject(new Error('there is no schema yet')),
  });
});

import { afterAll, beforeAll } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';
import type { SchemaPool } from './schema-pool.ts';
import { createSchemaPool } from './schema-pool.ts';

describeOnPostgres('on a real server', (server) => {
  let schemas: SchemaPool | undefined;
  let end: () => Promise<void> = async () => {};
  beforeAll(async () => {
    const pool = openPool(server().url, 40);
    schemas = await createSchemaPool(pool);
    end = () => pool.end();
  });
  afterAll(async () => {
    await schemas?.drop();
    await end();
  });

  describeBrokerContract('the Postgres broker', {
    open: (options) => schemas?.open(options) ?? Promise.reject(new Error('there are no schemas yet')),
  });
});

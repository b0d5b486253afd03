import { afterAll, beforeAll } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { SchemaPool } from './schema-pool.ts';
import { createSchemaPool } from './schema-pool.ts';

describeOnPostgres('on a real server', (server) => {
  let schemas: SchemaPool | undefined;
  beforeAll(async () => {
    schemas = await createSchemaPool(server().url);
  });
  afterAll(() => schemas?.drop());

  describeBrokerContract('the Postgres broker', {
    open: (options) => schemas?.open(options) ?? Promise.reject(new Error('there are no schemas yet')),
  });
});

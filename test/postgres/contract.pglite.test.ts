import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import { openPGlite } from '../support/pglite.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema } from './open-broker.ts';

let pglite: PGlite | undefined;
let schema: TestSchema | undefined;
beforeAll(async () => {
  pglite = await openPGlite();
  schema = await createTestSchema(pglite);
});
afterAll(() => pglite?.close());

describeBrokerContract('the Postgres broker in PGlite', {
  open: (options) => schema?.open(options) ?? Promise.reject(new Error('PGlite has not started')),
  isConcurrent: false,
  everyNth: 10,
});

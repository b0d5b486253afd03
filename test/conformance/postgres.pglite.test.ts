import type { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe } from 'vitest';
import { type ClockedSchema, createClockedSchema } from '../postgres/clocked-schema.ts';
import { openPGlite } from '../support/pglite.ts';
import { testPlayedCases } from './on-stage.ts';
import { openPostgresStage } from './postgres-stage.ts';

describe('the vectors of the lifecycle in PGlite', () => {
  let pglite: PGlite;
  let schema: ClockedSchema;

  beforeAll(async () => {
    pglite = await openPGlite();
    schema = await createClockedSchema(pglite);
  });
  afterAll(() => pglite.close());

  // The statements are those of Postgres, where each case is played.
  testPlayedCases(() => openPostgresStage(pglite, schema), { everyNth: 4 });
});

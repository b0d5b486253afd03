import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { compareBrokers, SEEDS } from './differential.ts';

it('the Postgres broker in PGlite answers as the memory broker does, step by step', {
  timeout: SEEDS * 8_000,
}, async () => {
  const pglite = await PGlite.create();

  const steps = await compareBrokers(pglite).finally(() => pglite.close());

  expect(steps).toBeGreaterThanOrEqual(SEEDS * 90);
});

import { PGlite } from '@electric-sql/pglite';
import { expect, it } from 'vitest';
import { compareBrokers, seedsOr } from './differential.ts';

/** A server runs the same statements, in more sequences. */
const SEEDS = seedsOr(15);

it('the Postgres broker in PGlite answers as the memory broker does, step by step', {
  timeout: SEEDS * 8_000,
}, async () => {
  const pglite = await PGlite.create();

  const steps = await compareBrokers(pglite, SEEDS).finally(() => pglite.close());

  expect(steps).toBeGreaterThanOrEqual(SEEDS * 50);
});

import { isEligible } from '@retry/core';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

const attempts = fc.oneof(fc.nat({ max: 6 }), fc.nat({ max: 2_000 }));
const rows = fc.array(
  fc.record({
    failures: attempts,
    stalls: attempts,
    maxAttempts: fc.oneof(fc.nat({ max: 6 }), fc.constantFrom(1_024, Infinity)),
    retryable: fc.boolean(),
  }),
  { minLength: 1, maxLength: 100 },
);

describeOnPostgres('the views for people', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  beforeAll(async () => {
    pool = openPool(server().url, 2);
    schema = await createTestSchema(pool);
  });
  afterAll(async () => {
    await schema.drop();
    await pool.end();
  });

  describe('is_eligible', () => {
    it('agrees with core about any run', async () => {
      const text = `select ${schema.name}.is_eligible(failures + stalls, max, retryable) as is
        from unnest($1::integer[], $2::integer[], $3::float8[], $4::boolean[])
        with ordinality as row (failures, stalls, max, retryable, n) order by n`;
      await fc.assert(
        fc.asyncProperty(rows, async (some) => {
          const columns = [
            some.map(({ failures }) => failures),
            some.map(({ stalls }) => stalls),
            some.map(({ maxAttempts }) => maxAttempts),
            some.map(({ retryable }) => retryable),
          ];

          const said = (await pool.query<{ is: boolean }>(text, columns)).rows.map(({ is }) => is);

          expect(said).toEqual(some.map((row) => isEligible(row, row)));
        }),
      );
    });

    it('uses the defaults of seed 002 for null: no attempt yet, at most three, retryable', async () => {
      const { rows: said } = await pool.query(`select ${schema.name}.is_eligible(null, null, null) as first,
        ${schema.name}.is_eligible(2) as third, ${schema.name}.is_eligible(3) as fourth,
        ${schema.name}.is_eligible(0, 0, false) as none_allowed`);

      expect(said).toEqual([{ first: true, third: true, fourth: false, none_allowed: true }]);
    });
  });

  describe('retry_eligible', () => {
    it('shows waiting runs, with their attempts and when they are due', async () => {
      const { broker, close } = await schema.open();
      await broker.submit(['a', 'b', 'c'].map((id) => ({ id, lane: 'l', payload: '{}' })));
      const claim = { worker: 'w', requestId: 'r', limit: 2, lanes: new Map([['l', 2]]), leaseMs: 60_000 };
      const { claimed, now } = await broker.exchange({ claim });
      const [retried] = claimed.map(({ run }) =>
        settlementOf(run, { type: 'retry', at: now, runAt: now + 60_000 }),
      );
      await broker.exchange({ settle: retried === undefined ? [] : [retried] });

      const { rows: shown } = await pool.query(
        `select id, state, attempts, next_run_at, is_due from ${schema.name}.retry_eligible order by id`,
      );
      await close();

      expect(shown).toMatchObject([
        { id: 'a', state: 'scheduled', attempts: 1, next_run_at: new Date(now + 60_000), is_due: false },
        { id: 'c', state: 'submitted', attempts: 0, is_due: true },
      ]);
    });
  });
});

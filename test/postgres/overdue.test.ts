import { createPostgresBroker } from '@retry/postgres';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { createClockedSchema } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';

const RUNS = 20_000;
const BATCH = 500;

describeOnPostgres('runs that are due at the same time', (server) => {
  it.each([['one lane', 1] as const, ['three lanes', 3] as const])(
    'are claimed in as few calls as ready runs, however many are due: %s',
    async (_name, lanes) => {
      const pool = openPool(server().url, 2);
      const schema = await createClockedSchema(pool);
      const broker = createPostgresBroker({
        client: pool,
        schema: schema.name,
        keepCompleted: { count: 0 },
        listen: false,
      });
      const names = Array.from({ length: lanes }, (_, index) => `lane-${index}`);
      await schema.setTime(1_000_000);
      await broker.submit(
        Array.from({ length: RUNS }, (_, index) => ({
          ...{ id: `run-${index}`, payload: '{}', lane: names[index % lanes] ?? '' },
          delayMs: 1_000 + (index % 100),
        })),
      );
      // Long overdue by the server's clock, as after a pause of every worker.
      await schema.setTime(2_000_000);

      let claims = 0;
      for (let claimed = 0; claimed < RUNS && claims < RUNS; claims += 1) {
        // As workers do whose slots are taken in turns: one lane, then another.
        const asked = claims % 2 === 0 ? names : names.slice(claims % lanes);
        const claim = { worker: 'w', requestId: `${claims}`, limit: BATCH, leaseMs: 60_000 };
        const { claimed: got } = await broker.exchange({
          claim: { ...claim, lanes: new Map(asked.map((lane) => [lane, BATCH])) },
        });
        claimed += got.length;
      }
      await broker.close();
      await schema.drop();
      await pool.end();

      expect(claims).toBe(RUNS / BATCH);
    },
  );
});

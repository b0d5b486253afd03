import { randomUUID } from 'node:crypto';
import { createPostgresBroker, migrate } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { openPool } from './open-broker.ts';

const schema = `compression_${randomUUID().slice(0, 8)}`;
const LONG = JSON.stringify(
  Array.from({ length: 500 }, (_, index) => ({ id: index, to: 'ada@example.com' })),
);

describeOnPostgres('long texts in Postgres', (server) => {
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = openPool(server().url, 1);
    await migrate(pool, { schema });
  });
  afterAll(async () => {
    await pool.query(`drop schema ${schema} cascade`);
    await pool.end();
  });

  it('are compressed by lz4 where the server has it, payloads and results', async (context) => {
    const methods = `select enumvals from pg_settings where name = 'default_toast_compression'`;
    const { rows: settings } = await pool.query<{ enumvals: string[] }>(methods);
    if (!settings[0]?.enumvals.includes('lz4')) context.skip('this server has no lz4');
    const broker = createPostgresBroker({ client: pool, schema, listen: false });

    await broker.submit([{ id: 'a', lane: 'l', payload: LONG }]);
    const lanes = new Map([['l', 1]]);
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes, leaseMs: 60_000 };
    const { claimed, now } = await broker.exchange({ claim });
    const settle = claimed.map(({ run }) =>
      settlementOf(run, { type: 'complete', at: now }, { result: LONG }),
    );
    await broker.exchange({ settle });

    const { rows } = await pool.query(
      `select pg_column_compression(payload) as payload, pg_column_compression(result) as result from ${schema}.run`,
    );
    expect(rows).toEqual([{ payload: 'lz4', result: 'lz4' }]);
    await broker.close();
  });
});

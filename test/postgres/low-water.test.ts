import { randomUUID } from 'node:crypto';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openExplained } from './plans.ts';

const RUNS = 20_000;
const BATCH = 500;

describeOnPostgres('claims while a transaction pins old rows', (server) => {
  it('read no more pages at the end of a backlog than at its beginning', { timeout: 60_000 }, async () => {
    const { client, takeReadPages } = await openExplained(server().url, [
      'auto_explain.log_analyze=on',
      'auto_explain.log_buffers=on',
    ]);
    const schema = `pinned_${randomUUID().slice(0, 8)}`;
    await migrate(client, { schema });
    const broker = createPostgresBroker({ client, schema, listen: false, keepCompleted: 0 });
    await broker.submit(
      Array.from({ length: RUNS }, (_, index) => ({ id: `run-${index}`, lane: 'l', payload: '{}' })),
    );
    const old = new pg.Client({ connectionString: server().url });
    await old.connect();
    await old.query('begin isolation level repeatable read; select 1');

    const pages: number[] = [];
    for (let batch = 0; batch < RUNS / BATCH; batch += 1) {
      takeReadPages('ready');
      const lanes = new Map([['l', BATCH]]);
      const claim = { worker: 'w', requestId: `${batch}`, limit: BATCH, lanes, leaseMs: 60_000 };
      await broker.exchange({ claim });
      pages.push(takeReadPages('ready'));
    }
    await old.query('rollback');
    await old.end();
    await broker.close();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();

    // A full look, now and then, walks over everything; most claims do not.
    const sorted = [...pages.slice(-20)].sort((left, right) => left - right);
    expect(sorted[10]).toBeLessThan(2 * Math.max(...pages.slice(1, 4)));
  });
});

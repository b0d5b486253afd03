import { randomUUID } from 'node:crypto';
import type { ClaimedRun } from '@retry/core/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { openExplained } from './plans.ts';

const RUNS = 20_000;
const BATCH = 500;

describeOnPostgres('claims while a transaction pins old rows', (server) => {
  it.each([
    ['', false],
    [', though each finds a run that was given back to the front', true],
  ])('read as few pages at the end of a backlog as at its beginning%s', async (_, isReleasing) => {
    const { client, takeReadPages } = await openExplained(server().url, [
      'auto_explain.log_analyze=on',
      'auto_explain.log_buffers=on',
      'auto_explain.log_nested_statements=on',
    ]);
    const schema = `pinned_${randomUUID().slice(0, 8)}`;
    await migrate(client, { schema });
    const broker = createPostgresBroker({ client, schema, listen: false, keepCompleted: { count: 0 } });
    await broker.submit(
      Array.from({ length: RUNS }, (_run, index) => ({ id: `run-${index}`, lane: 'l', payload: '{}' })),
    );
    const old = new pg.Client({ connectionString: server().url });
    await old.connect();
    await old.query('begin isolation level repeatable read; select 1');

    let requests = 0;
    let latest: readonly ClaimedRun[] = [];
    const take = async (limit: number): Promise<number> => {
      const [released] = isReleasing ? latest : [];
      const settle = released === undefined ? [] : [settlementOf(released.run, { type: 'release', at: 0 })];
      const claim = {
        worker: 'w',
        requestId: `${requests++}`,
        limit,
        lanes: new Map([['l', limit]]),
        leaseMs: 60_000,
      };
      await broker.exchange({ settle });
      takeReadPages('ready');
      const { claimed } = await broker.exchange({ claim });
      expect(claimed).toHaveLength(limit);
      latest = claimed;
      return takeReadPages('ready');
    };
    const first = await takeFew(take);
    while (requests < RUNS / BATCH) await take(BATCH);
    const last = await takeFew(take);
    await old.query('rollback');
    await old.end();
    await broker.close();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();

    expect(last).toBeLessThan(2 * first);
  });
});

/** Returns the pages that a small claim reads as a rule; a full read, at times, reads the whole index. */
async function takeFew(take: (limit: number) => Promise<number>): Promise<number> {
  const pages: number[] = [];
  for (let count = 0; count < 21; count += 1) pages.push(await take(5));
  return pages.sort((left, right) => left - right)[10] ?? 0;
}

import type { Broker } from '@retry/core/broker';
import { discardRuns } from '@retry/core/broker/kit';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

/** Submits, claims and ends runs, by one call each. */
async function end(broker: Broker, type: 'complete' | 'fail', ids: readonly string[]): Promise<void> {
  await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '{}' })));
  const lanes = new Map([['l', ids.length]]);
  const claim = { worker: 'w', requestId: ids.join(), limit: ids.length, lanes, leaseMs: 60_000 };
  const { claimed, now } = await broker.exchange({ claim });
  await broker.exchange({ settle: claimed.map(({ run }) => settlementOf(run, { type, at: now })) });
}

describeOnPostgres('retention', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  const open = (count: number): Broker =>
    createPostgresBroker({ client: pool, schema: schema.name, keepCompleted: { count }, listen: false });
  beforeEach(async () => {
    pool = openPool(server().url, 2);
    schema = await lendTestSchema(pool);
  });
  afterEach(async () => {
    await schema.drop();
    await pool.end();
  });

  it('forgets the oldest finished runs, and keeps every dead letter', async () => {
    const broker = open(2);
    await end(broker, 'fail', ['dead-1', 'dead-2', 'dead-3']);
    for (const id of ['a', 'b', 'c', 'd']) await end(broker, 'complete', [id]);

    const kept = await broker.get(['a', 'b', 'c', 'd']);

    expect(kept.map((run) => run?.state)).toEqual([undefined, undefined, 'completed', 'completed']);
    expect(await broker.audit()).toMatchObject({
      created: 7,
      forgotten: 2,
      ended: { completed: 2, failed: 3 },
      unbalanced: 0,
    });
    await broker.close();
  });

  it('forgets by age on a connection that has forgotten by number', async () => {
    const one = openPool(server().url, 1);
    const openOne = (keepCompleted: { count?: number; for?: number }): Broker =>
      createPostgresBroker({ client: one, schema: schema.name, keepCompleted, listen: false });
    const [byNumber, byAge] = [openOne({ count: 1 }), openOne({ for: 1 })];
    // The server makes the plans of the function in its first calls.
    for (let number = 0; number < 8; number += 1)
      await end(byNumber, 'complete', [`a${number}`, `b${number}`]);

    await end(byAge, 'complete', ['c']);

    expect(await byAge.get(['a0', 'a7', 'b7'])).toEqual([undefined, undefined, undefined]);
    await one.end();
  });

  it('forgets each by its own age, though they came together from being kept for callers', async () => {
    const broker = createPostgresBroker({
      ...{ client: pool, schema: schema.name, listen: false },
      keepCompleted: { for: '30m' },
    });
    const submission = { lane: 'l', payload: '{}', keepResultMs: 7_200_000 };
    await broker.submit(['old', 'new'].map((id) => ({ ...submission, id })));
    const lanes = new Map([['l', 2]]);
    const claim = { worker: 'w', requestId: 'r', limit: 2, lanes, leaseMs: 60_000 };
    const { claimed, now } = await broker.exchange({ claim });
    const endedAt = (id: string): number => (id === 'old' ? now - 3_600_000 : now);
    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: endedAt(run.id) })),
    });
    await broker.get(['old', 'new'], { collect: true });

    const other = createPostgresBroker({
      ...{ client: pool, schema: schema.name, listen: false },
      keepCompleted: { for: '30m' },
    });
    await other.exchange({}); // the first exchange of a broker forgets

    expect((await other.get(['old', 'new'])).map((run) => run?.state)).toEqual([undefined, 'completed']);
    expect((await other.audit()).unbalanced).toBe(0);
  });

  it('keeps the latest of runs that finished together, as many as asked for', async () => {
    const broker = open(2);
    await end(broker, 'complete', ['a', 'b', 'c', 'd', 'e']);
    const together = (await broker.list({ state: 'completed', limit: 9 })).runs;
    await end(broker, 'complete', ['f']);
    const after = (await broker.list({ state: 'completed', limit: 9 })).runs;

    expect([together, after].map((runs) => runs.map(({ id }) => id))).toEqual([
      ['d', 'e'],
      ['e', 'f'],
    ]);
    expect(await broker.audit()).toMatchObject({ created: 6, forgotten: 4, unbalanced: 0 });
    await broker.close();
  });

  it('does not count discarded runs', async () => {
    const broker = open(2);
    await end(broker, 'complete', ['a', 'b']);
    await discardRuns(broker, ['b']);
    await end(broker, 'complete', ['c']);

    expect((await broker.list({ state: 'completed', limit: 9 })).runs.map(({ id }) => id)).toEqual([
      'a',
      'c',
    ]);
    await broker.close();
  });

  it('keeps no finished run with keepCompleted 0', async () => {
    const broker = open(0);
    await end(broker, 'complete', ['a', 'b']);

    expect(await broker.get(['a', 'b'])).toEqual([undefined, undefined]);
    expect(await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }])).toEqual(['created']);
    await broker.close();
  });

  it('sums up the tally, and forgets a claim whose runs are all settled, once its lease has ended', async () => {
    const broker = open(1);
    await pool.query(`insert into ${schema.name}.claim values ('gone', 'r', 1, 1, '{}', '{}')`);
    for (let index = 0; index < 20; index += 1) await end(broker, 'complete', [`before-${index}`]);
    const other = open(1);
    await end(other, 'complete', ['after']);
    await other.close();

    const { rows } = await pool.query(`select count(*)::integer as count, sum(submitted)::integer as submitted
      from ${schema.name}.tally`);
    await broker.findExpired(1);
    const { rows: claims } = await pool.query(
      `select worker from ${schema.name}.claim where worker = 'gone'`,
    );

    expect(rows[0].submitted).toBe(21);
    expect(rows[0].count).toBeLessThan(10);
    expect(claims).toEqual([]);
    expect((await broker.audit()).unbalanced).toBe(0);
    await broker.close();
  });
});

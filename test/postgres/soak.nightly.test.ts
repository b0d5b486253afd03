import type { Broker, ClaimedRun } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { createTestSchema, openPool } from './open-broker.ts';

const BATCH = 500;
const ROUNDS = 30;

/** How many runs of each batch are kept: dead letters, runs that are due much later, stalled runs. */
const KEPT = { dead: 3, far: 2, stalled: 2 };

describeOnPostgres('what is kept', (server) => {
  it('takes no more room the more runs have ended', async () => {
    const pool = openPool(server().url, 2);
    const schema = await createTestSchema(pool);
    const broker = createPostgresBroker({
      client: pool,
      schema: schema.name,
      keepCompleted: { count: 500 },
      listen: false,
    });
    let id = 0;
    const pass = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        id = await passBatch(broker, id);
        if (round % 3 === 2) await vacuum(pool, schema.name);
      }
    };

    await pass(ROUNDS);
    const before = await sizes(pool, schema.name);
    await pass(2 * ROUNDS);
    const after = await sizes(pool, schema.name);
    const audit = await broker.audit();
    await broker.close();
    await schema.drop();
    await pool.end();

    const passed = 3 * ROUNDS * BATCH;
    const kept = passed - audit.forgotten;
    expect(audit.unbalanced).toBe(0);
    expect(kept).toBeLessThan(passed / 20);
    // Three times as many runs have ended, and three times as many are kept: a row takes at most 2 kB, with all its indexes.
    for (const [name, bytes] of after) {
      const grown = bytes - (before.get(name) ?? 0);
      expect([name, grown < 512 * 1024 || grown < kept * 1_024], `${name}: ${bytes}`).toEqual([name, true]);
    }
    // An index of the ids alone kept a page for each 200 runs that have ended.
    expect(after.get('run_pkey') ?? 0).toBeLessThan(200 * kept);
  });
});

/** Submits a batch with ascending ids, ends most of its runs, and returns the first id of the next batch. */
async function passBatch(broker: Broker, first: number): Promise<number> {
  const ids = Array.from({ length: BATCH }, (_, index) => `run-${String(first + index).padStart(12, '0')}`);
  await broker.submit(
    ids.map((id, index) => ({
      ...{ id, lane: 'l', payload: '{}', keyed: index % 10 === 0 },
      ...(index < KEPT.far ? { delayMs: 1e9 + first } : {}),
      ...(index % 7 === 0 ? { keepResultMs: 60_000 } : {}),
    })),
  );
  const claim = {
    worker: 'w',
    requestId: ids[0] ?? '',
    limit: BATCH,
    lanes: new Map([['l', BATCH]]),
    leaseMs: 60_000,
  };
  const { claimed, now } = await broker.exchange({ claim });
  await broker.exchange({ settle: claimed.map((one, index) => outcomeOf(one, index, now)) });
  await broker.get(
    ids.filter((_, index) => index % 7 === 0),
    { collect: true },
  );
  return first + BATCH;
}

function outcomeOf({ run }: ClaimedRun, index: number, at: number) {
  if (index < KEPT.dead) return settlementOf(run, { type: 'fail', at });
  if (index < KEPT.dead + KEPT.stalled) return settlementOf(run, { type: 'stall', at });
  return settlementOf(run, { type: 'complete', at }, { result: '"done"' });
}

/** Does what autovacuum does at times. */
async function vacuum(pool: pg.Pool, schema: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1",
    [schema],
  );
  for (const { name } of rows) await pool.query(`vacuum ${name}`);
}

/** Returns the bytes of every table and index of the schema, by name. */
async function sizes(pool: pg.Pool, schema: string): Promise<ReadonlyMap<string, number>> {
  await vacuum(pool, schema);
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `select relname as name, pg_relation_size(c.oid) as bytes from pg_class c
      where relnamespace = $1::regnamespace and relkind in ('r', 'i')`,
    [schema],
  );
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

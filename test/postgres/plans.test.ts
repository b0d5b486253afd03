import { randomUUID } from 'node:crypto';
import { holdLanes } from '@retry/core/broker/kit';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { Read } from './plans.ts';
import {
  exercise,
  fill,
  inspect,
  listAll,
  loopsOf,
  openExplained,
  readsOf,
  rereadIndexesOf,
  wholeIndexesOf,
} from './plans.ts';

const SIZES = [0, 1_000, 50_000];

/** Small tables, which may be read as a whole. */
const SMALL = ['waiter', 'schema_version', 'tally', 'hold'];

/** Indexes that are read from their beginning: whether there is any kept key, the groups that are to be summed up, all holds. */
const READ_WHOLE = ['kept_key_until', 'error_group_new', 'hold_pkey', 'long_finished_pkey'];

/** Tables that a page of a list reads as a whole; the runs themselves are read by their index. */
const LINES = ['ready', 'parked', 'scheduled', 'claim', 'finished'];

/** Runs are read where their rows were seen. */
const AT_THEIR_PLACES: Read = { table: 'run', how: 'Tid Scan', index: undefined };

describeOnPostgres('the plan of every statement', (server) => {
  it.each(SIZES)('reads the tables by their indexes alone at %i rows, analysed or not', async (count) => {
    const { client, take } = await openExplained(server().url);
    const schema = `plans_${randomUUID().slice(0, 8)}`;
    await fill(client, schema, count);
    take();

    await exercise(client, schema, 'fresh');
    const fresh = take();
    await listAll(client, schema);
    const listed = take();
    await client.query('analyze');
    await client.query('discard plans');
    take();
    await exercise(client, schema, 'analysed');
    const analysed = take();
    await listAll(client, schema);
    const listedAnalysed = take();

    await client.query(`drop schema ${schema} cascade`);
    await client.end();
    expect(fresh.length).toBeGreaterThan(30);
    expect(readsOf(fresh).filter((read) => isWhole(read, SMALL))).toEqual([]);
    expect(readsOf(fresh)).toEqual(expect.arrayContaining([...readsOf(analysed)]));
    expect(readsOf(listed).filter((read) => isWhole(read, [...SMALL, ...LINES]))).toEqual([]);
    expect(readsOf(listed)).toEqual(readsOf(listedAnalysed));
  });

  // A table that was vacuumed with one row in it has one row for the planner, whatever comes: then to read all of it costs as much as
  // to read what is looked for. A connection keeps its plans until the next analysis: a minute in which very many runs may come.
  it('reads what it looks for, also when it was made while the tables were almost empty', async () => {
    const { client, take } = await openExplained(server().url);
    const schema = `empty_${randomUUID().slice(0, 8)}`;
    await fill(client, schema, 1);
    await client.query(`delete from ${schema}.run where state <> 'w'`);
    await client.query(
      `vacuum (analyze) ${LINES.concat('run', 'awaited', 'error_group').map((table) => `${schema}.${table}`)}`,
    );
    take();

    await exercise(client, schema, 'few');
    const plans = take();
    await inspect(client, schema);
    const inspected = take();
    await client.query(`drop schema ${schema} cascade`);
    await client.end();

    expect(readsOf(plans).length).toBeGreaterThan(30);
    expect(wholeIndexesOf(plans).filter((index) => !READ_WHOLE.includes(index))).toEqual([]);
    expect(wholeIndexesOf(inspected)).toContain('error_group_seq'); // once, for the counts of all groups
    expect(rereadIndexesOf(inspected)).toEqual([]);
  });

  it.each([
    { others: 0, isOtherHeld: false },
    { others: 1_000, isOtherHeld: false },
    { others: 0, isOtherHeld: true },
    { others: 1_000, isOtherHeld: true },
  ])(
    'claims many runs by one scan, and settles each at its place, where $others others are, and another lane is on hold: $isOtherHeld',
    async ({ others, isOtherHeld }) => {
      const { client, take } = await openExplained(server().url, ['auto_explain.log_analyze=on']);
      const schema = `many_${randomUUID().slice(0, 8)}`;
      await fill(client, schema, others);
      await client.query('analyze');
      const broker = createPostgresBroker({ client, schema, listen: false });
      if (isOtherHeld) await holdLanes(broker, [{ lane: 'other', source: 'operator' }]);
      await broker.submit(
        Array.from({ length: 40 }, (_, index) => ({ id: `many-${index}`, lane: 'many', payload: '{}' })),
      );
      const claim = { worker: 'w', limit: 40, lanes: new Map([['many', 40]]), leaseMs: 60_000 };
      const first = await broker.exchange({ claim: { ...claim, requestId: '1' } });
      take();
      const failed = first.claimed.map(({ run }) =>
        settlementOf(run, { type: 'retry', at: first.now, runAt: first.now }),
      );
      await broker.exchange({ settle: failed });
      const settling = take();
      const second = await broker.exchange({ claim: { ...claim, requestId: '2' } });
      const claiming = take();

      await broker.close();
      await client.query(`drop schema ${schema} cascade`);
      await client.end();
      expect(second.claimed).toHaveLength(40);
      expect(Math.max(...loopsOf(claiming, 'run'))).toBe(1);
      expect(readsOf(settling).filter(isOfRuns)).toEqual([AT_THEIR_PLACES]);
    },
  );

  it('reads the leases of claims once, also when it was made while there were few', async () => {
    const client = new pg.Client({ connectionString: server().url });
    await client.connect();
    const schema = `grown_${randomUUID().slice(0, 8)}`;
    await migrate(client, { schema });
    const broker = createPostgresBroker({ client, schema, listen: false });
    const readAll = async (id: string): Promise<readonly string[]> => {
      await broker.get([id]);
      await broker.list({ state: 'started', limit: 1000 });
      const answers = await broker.heartbeat([{ id, epoch: 1 }], 60_000);
      await broker.findExpired(1000);
      return answers;
    };
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    const lanes = new Map([['l', 1]]);
    await broker.exchange({ claim: { worker: 'w', requestId: 'r', limit: 1, lanes, leaseMs: 60_000 } });
    await client.query('analyze');
    await readAll('a');
    await hold(client, schema);
    await client.query("set statement_timeout = '20s'");

    expect(await readAll('many-7')).toEqual(['ok']);
    await client.query(`drop schema ${schema} cascade`);
    await client.end();
  });
});

/** Inserts 200 000 started runs in claims of 100, as claims leave them. */
async function hold(client: pg.Client, schema: string): Promise<void> {
  await client.query(`insert into ${schema}.run (id, state, epoch, ord, lane, payload)
    select 'many-' || n, 'w', 0, n + 100, 'l', '{}' from generate_series(1, 200000) n`);
  await client.query(`insert into ${schema}.claim select 'w', n / 100, 1, 1, array_agg('many-' || n), array_agg(n + 100)
    from generate_series(1, 200000) n group by n / 100`);
}

function isOfRuns({ table }: Read): boolean {
  return table === 'run';
}

function isWhole({ table, how }: Read, allowed: readonly string[]): boolean {
  return !['Index Scan', 'Index Only Scan', 'Tid Scan'].includes(how) && !allowed.includes(table);
}

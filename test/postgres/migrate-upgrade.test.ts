import { randomUUID } from 'node:crypto';
import type { PostgresBroker, SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeMigration } from '../../packages/postgres/src/schema/migrations/write-migration.ts';
import type { SchemaBuild } from '../../packages/postgres/src/schema/migrations.ts';
import { BUILD } from '../../packages/postgres/src/schema/migrations.ts';
import { promiseOf } from '../contract/worker/worker-scene.ts';
import { passTime } from '../support/pass-time.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';

const RUNS = 1_600;

/** The version of today, with a function that the later one no longer has. */
const TODAY: SchemaBuild = {
  ...BUILD,
  routines: [
    ...BUILD.routines,
    "create function outdated() returns text language sql as 'select null::text'",
  ],
};

/**
 * What a later version may bring: a column, a parameter with a default on the function that settles and claims, which
 * writes the column, one on a function that the view calls, and a column of the view.
 */
const LATER: SchemaBuild = {
  steps: [...BUILD.steps, 'alter table run add column settled_with text;'],
  routines: [
    `create function note_settled(p_ids text[], p_with text) returns void language sql as $$
      update run r set settled_with = p_with from unnest(p_ids) as settled (id)
      where r.hash = hashtext(settled.id) and r.id = settled.id and p_with is not null
    $$`,
    ...BUILD.routines.map(writeLater),
  ],
  servesFrom: BUILD.servesFrom,
};

function writeLater(definition: string): string {
  const [, name = ''] = /^create (?:function|view) (\w+)/.exec(definition) ?? [];
  if (isExchange(name)) {
    return definition
      .replace(/\s*\) returns setof text/, ', p_with text default null) returns setof text')
      .replace('\n  return ', '\n  perform note_settled(p_ids, p_with);\n  return ');
  }
  if (name === 'state_name')
    return definition.replace(') returns', ", p_style text default 'plain') returns");
  if (name === 'retry_eligible') return definition.replace('\n  from (', ', null::text as note\n  from (');
  return definition;
}

function isExchange(name: string): boolean {
  return ['exchange', 'settle_and_claim'].includes(name);
}

/** A client of the later version: its calls pass the new parameter. */
function laterClient(pool: pg.Pool): SqlClient {
  return {
    query: (text, values) => {
      const [, name = ''] = /\.(\w+)\(/.exec(text) ?? [];
      return pool.query(
        isExchange(name) ? text.replace(/\)(?=[^)]*$)/, ", p_with => 'later')") : text,
        values,
      );
    },
  };
}

describeOnPostgres('an upgrade of a schema with workers of both versions', (server) => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = openPool(server().url, 10);
  });
  afterAll(() => pool.end());

  it('changes two functions, the view and a helper in the later version', () => {
    const changed = LATER.routines.filter((text) => !BUILD.routines.includes(text));

    expect(changed).toHaveLength(4);
    expect(changed.filter((text) => text.includes('p_with'))).toHaveLength(2);
  });

  it('loses no run, runs none twice, and leaves the audit balanced', async () => {
    const schema = `upgrade_${randomUUID().slice(0, 8)}`;
    await pool.query(writeMigration(schema, TODAY));
    const open = (options: { readonly url: string } | { readonly client: SqlClient }): PostgresBroker =>
      createPostgresBroker({ ...options, schema, keepCompleted: { count: Infinity } });
    const today = open({ url: server().url });
    const starts = new Map<string, number>();
    const { promise: upgraded, resolve: endUpgrade } = promiseOf<void>();
    const task = defineTask({
      name: 'work',
      retry: { maxAttempts: 3, backoff: { type: 'none' } },
      run: async (index: number, { id, attempt }) => {
        starts.set(id, (starts.get(id) ?? 0) + 1);
        // Half of the runs end after the upgrade, however fast the workers are.
        await (index < RUNS / 2 ? passTime(1) : upgraded);
        if (index % 10 === 0 && attempt === 1) throw new Error('the first attempt fails');
      },
    });
    const errors: unknown[] = [];
    const startWorker = (broker: PostgresBroker, leaseRenewal: 'thread' | 'loop' = 'thread') => {
      const worker = createWorker({ broker, tasks: [task], concurrency: 10, signals: [], leaseRenewal });
      worker.on('error', ({ error }) => errors.push(error));
      worker.start();
      return worker;
    };
    const submit = (broker: PostgresBroker, from: number, to: number) =>
      createQueue({ broker }).submitMany(
        task,
        Array.from({ length: to - from }, (_, index) => from + index),
      );
    await submit(today, 0, RUNS - 200);
    const workers = [startWorker(today), startWorker(today)];

    while (starts.size < 200) await passTime(1);
    const sql = writeMigration(schema, LATER);
    await Promise.all([pool.query(sql), pool.query(sql), pool.query(sql)]);
    const later = open({ client: laterClient(pool) });
    const restarted = open({ url: server().url });
    workers.push(startWorker(later, 'loop'), startWorker(restarted));
    await submit(later, RUNS - 200, RUNS - 100);
    await submit(today, RUNS - 100, RUNS);
    endUpgrade();
    await Promise.all(workers.map((worker) => worker.whenIdle()));

    const audit = await today.audit();
    const refusal: unknown = await migrate(pool, { schema }).catch((error: unknown) => error);
    const { rows } = await pool.query(
      `select to_regprocedure('${schema}.outdated()') as outdated, count(settled_with)::integer as later,
        count(*)::integer as runs from ${schema}.run`,
    );
    const columns = await pool.query(`select note from ${schema}.retry_eligible`);
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all([today, later, restarted].map((broker) => broker.close()));
    await pool.query(`drop schema ${schema} cascade`);

    expect(errors).toEqual([]);
    expect(starts.size).toBe(RUNS);
    expect([...starts.values()].reduce((sum, count) => sum + count)).toBe(RUNS + RUNS / 10);
    expect(Math.max(...starts.values())).toBe(2);
    expect(audit).toMatchObject({ created: RUNS, unbalanced: 0, ended: { completed: RUNS } });
    expect(rows).toMatchObject([{ outdated: null, runs: RUNS }]);
    expect(rows[0].later).toBeGreaterThan(0);
    expect(rows[0].later).toBeLessThan(RUNS);
    expect(columns.rows).toEqual([]);
    expect(refusal).toMatchObject({ code: 'NEWER_SCHEMA' });
    expect(String(refusal)).toContain(
      'Its brokers still work on this schema: leave migrations to the newer version',
    );
  });
});

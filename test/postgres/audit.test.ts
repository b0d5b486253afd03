import type { Audit } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { createTestSchema, openPool } from './open-broker.ts';

const AUDITS = ['audit_each', 'audit_counts'] as const;

describeOnPostgres('the audit of many runs', (server) => {
  const open = async () => {
    const pool = openPool(server().url);
    const schema = await createTestSchema(pool);
    const broker = createPostgresBroker({
      client: pool,
      schema: schema.name,
      keepCompleted: { count: Infinity },
    });
    const close = async (): Promise<void> => {
      await broker.close();
      await schema.drop();
      await pool.end();
    };
    return { pool, schema: schema.name, broker, close };
  };
  /** What the audit of few runs answers, and that of many. */
  const auditTwice = async (pool: pg.Pool, schema: string): Promise<readonly Audit[]> => {
    const answers = AUDITS.map((name) => pool.query(`select ${schema}.${name}()::json as audit`));
    return (await Promise.all(answers)).map(({ rows }) => rows[0].audit as Audit); // what the function builds
  };

  it('is not compiled, nor that of few: a server takes a quarter of a second for that, and reads them in less', async () => {
    const { pool, schema, close } = await open();

    const { rows } = await pool.query(
      `select proname from pg_proc where pronamespace = $1::regnamespace and proname = any($2)
        and not 'jit=off' = any(coalesce(proconfig, '{}'))`,
      [schema, AUDITS],
    );
    await close();

    expect(rows).toEqual([]);
  });

  it('answers as that of few, which looks for each run', async () => {
    const { pool, schema, broker, close } = await open();
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const ends = ['complete', 'fail', 'cancel', 'stall', 'drop', 'limit'] as const;
    await broker.submit([
      ...ends.map((id) => ({
        id,
        lane: 'l',
        payload: '1',
        ...(id === 'cancel' && { keepResultMs: 60_000 }),
      })),
      ...['one', 'two', 'three'].map((id) => ({ id, lane: 'keyed', payload: '1', concurrency })),
      ...['waits', 'waits, too'].map((id) => ({ id, lane: 'm', payload: '1' })),
      { id: 'later', lane: 'm', payload: '1', delayMs: 60_000 },
    ]);
    const claim = async (lane: string, limit: number) => {
      const lanes = new Map([[lane, limit]]);
      return broker.exchange({
        claim: { worker: lane, requestId: lane, limit, lanes, leaseMs: 60_000 },
      });
    };
    const { claimed, now } = await claim('l', 9);
    await broker.exchange({
      settle: claimed.map(({ run }, index) => settlementOf(run, { type: ends[index] ?? 'fail', at: now })),
    });
    await claim('keyed', 3);
    await claim('m', 1);
    await broker.heartbeat([{ id: 'waits', epoch: 1 }], 60_000);

    const [each, counts] = await auditTwice(pool, schema);
    const { rows } = await pool.query(`select state from ${schema}.run where is_dead`);
    await close();

    expect(each).toMatchObject({ submitted: 3, scheduled: 1, started: 2, unbalanced: 0 });
    expect(rows.length).toBeGreaterThan(1);
    expect({ ...counts, ended: { ...ZERO, ...counts?.ended } }).toEqual({
      ...each,
      ended: { ...ZERO, ...each?.ended },
    });
  });

  it('counts more than ten thousand runs of each kind, and notices one that is missing', async () => {
    const { pool, schema, broker, close } = await open();
    const count = 10_500;
    await pool.query(`insert into ${schema}.run (id, state, epoch, ord, lane, payload, ended_at, is_dead, error_group)
      select state || n, state::"char", 1, n, 'l', '1', 1, state = 'f', case state when 'f' then 'other' end
      from generate_series(1, ${count}) n, unnest(array['w', 's', 'C', 'X', 'f']) state`);
    await pool.query(
      `insert into ${schema}.ready (lane, ord, id) select 'l', n, 'w' || n from generate_series(1, ${count}) n`,
    );
    await pool.query(
      `insert into ${schema}.scheduled (lane, run_at, ord, id) select 'l', n, n, 's' || n from generate_series(1, ${count}) n`,
    );
    await pool.query(
      `insert into ${schema}.finished select n, 2, array['C' || n, 'X' || n] from generate_series(1, ${count}) n`,
    );
    await pool.query(
      `insert into ${schema}.error_group (lane, id, count, attempts) values ('l', 'other', ${count}, 0)`,
    );
    await pool.query(`insert into ${schema}.tally values (${5 * count}, 0)`);

    const audit = await broker.audit();
    await pool.query(`delete from ${schema}.ready where ord = 7`);
    const { unbalanced } = await broker.audit();
    await close();

    expect(audit).toMatchObject({ submitted: count, scheduled: count, started: 0, unbalanced: 0 });
    expect(audit.ended).toMatchObject({ completed: count, cancelled: count, failed: count });
    expect(unbalanced).toBe(1);
  });
});

const ZERO = { completed: 0, failed: 0, cancelled: 0, stalled: 0, dropped: 0, rateLimited: 0 };

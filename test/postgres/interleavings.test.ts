import type { Broker, ClaimedRun, Settlement, Submission } from '@retry/core/broker';
import type { PostgresBroker, SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool, sleep } from './open-broker.ts';

const ONE_AT_A_TIME = { key: 'k', limit: 1, whenFull: 'wait' } as const;

describeOnPostgres('two connections', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  let tx: pg.PoolClient;
  let broker: PostgresBroker;
  beforeEach(async () => {
    pool = openPool(server().url);
    schema = await createTestSchema(pool);
    broker = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    tx = await pool.connect();
    await tx.query('begin');
  });
  afterEach(async () => {
    await tx.query('rollback').catch(() => undefined);
    tx.release();
    const { unbalanced } = await broker.audit();
    await broker.close();
    await schema.drop();
    await pool.end();
    expect(unbalanced).toBe(0);
  });

  const submit = (...runs: readonly (Partial<Submission> & { readonly id: string })[]) =>
    broker.submit(runs.map((run) => ({ lane: 'l', payload: '{}', ...run })));
  const claim = async (requestId: string, limit = 9, by: Broker = broker): Promise<readonly ClaimedRun[]> => {
    const lanes = new Map([['l', limit]]);
    return (await by.exchange({ claim: { worker: 'w', requestId, limit, lanes, leaseMs: 60_000 } })).claimed;
  };
  const completed = (claimed: readonly ClaimedRun[]): readonly Settlement[] =>
    claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: run.startedAt ?? 0 }));
  const idsOf = (claimed: readonly ClaimedRun[]): readonly string[] => claimed.map(({ run }) => run.id);
  const lock = (table: 'run' | 'ready', id: string, by: pg.PoolClient = tx) =>
    by.query(`select from ${schema.name}.${table} where id = $1 for update`, [id]);
  /** Whoever takes this run out of its lane waits there until `tx` ends. */
  const pauseClaimOf = async (id: string): Promise<void> => {
    await tx.query('select pg_advisory_xact_lock(42)');
    await pool.query(`create function ${schema.name}.pause() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(42); return old; end $$`);
    await pool.query(`create trigger pause before delete on ${schema.name}.ready for each row
      when (old.id = '${id}') execute function ${schema.name}.pause()`);
  };
  /** Until so many connections wait for that transaction, or for one that does. */
  const untilBlocked = async (count = 1, by: pg.PoolClient = tx): Promise<void> => {
    const { rows } = await by.query('select pg_backend_pid() as pid');
    const waiting = `with recursive held (pid) as (select $1::integer union select a.pid from held, pg_stat_activity a
      where held.pid = any (pg_blocking_pids(a.pid))) select from held`;
    while ((await pool.query(waiting, [rows[0].pid])).rowCount !== count + 1) await sleep(5);
  };

  it('asked for one claim twice at the same time give the same runs', async () => {
    await submit({ id: 'a' }, { id: 'b' });
    await pauseClaimOf('a');
    const first = claim('r', 1);
    await untilBlocked();
    const second = claim('r', 1);
    await untilBlocked(2);
    await tx.query('commit');

    expect([await first, await second].map(idsOf)).toEqual([['a'], ['a']]);
    expect(await broker.audit()).toMatchObject({ started: 1, waiting: 1 });
  });

  it('let no claim start more than its limit when places are freed in the middle', async () => {
    const key = (name: string) => ({ concurrency: { ...ONE_AT_A_TIME, key: name } });
    await submit({ id: 'freed', ...key('k1') }, { id: 'slow' }, { id: 'seen', ...key('k2') });
    await pauseClaimOf('slow');
    const other = await pool.connect();
    await other.query('begin');
    await lock('ready', 'freed', other);
    const claiming = claim('r', 2);
    await untilBlocked();
    await other.query('rollback');
    other.release();
    await tx.query('commit');

    expect(await claiming).toHaveLength(2);
    expect(await claim('rest')).toHaveLength(1);
  });

  it('keep a run findable whose claim was answered before its last settlement was', async () => {
    const replies: (() => void)[] = [];
    let isHeld = false;
    const client: SqlClient = {
      query: async (text, values) => {
        const answer = await pool.query(text, values as unknown[]);
        if (isHeld) await new Promise<void>((resolve) => replies.push(resolve));
        return answer;
      },
    };
    const late = createPostgresBroker({ client, schema: schema.name, listen: false });
    await submit({ id: 'a' });
    const [first] = await claim('first', 1, late);
    isHeld = true;
    const settle = first ? [settlementOf(first.run, { type: 'release', at: 0 })] : [];
    const settling = late.exchange({ settle });
    while (replies.length === 0) await sleep(5);
    isHeld = false;
    expect(idsOf(await claim('again', 1, late))).toEqual(['a']);
    for (const reply of replies) reply();
    await settling;

    for (const id of ['b', 'c', 'd', 'e', 'f']) {
      await submit({ id });
      await claim(id, 1, late);
    }
    await late.close();

    expect((await broker.list({ state: 'started', limit: 9 })).map(({ id }) => id)).toContain('a');
  });

  it('keep the answers to the latest few claims only, also where two are always under way', async () => {
    for (let round = 0; round < 20; round += 1) {
      await submit({ id: `${round}-a` }, { id: `${round}-b` });
      await Promise.all([claim(`${round}-1`, 1), claim(`${round}-2`, 1)]);
    }

    const { rows } = await pool.query(`select count(claimed)::integer from ${schema.name}.claim`);

    expect(rows[0].count).toBeLessThan(8);
  });

  it('let no exchange of a worker wait for another that drops the same answers', async () => {
    const settleAll = async (request: string): Promise<unknown> => {
      await submit({ id: request });
      return broker.exchange({ settle: completed(await claim(request, 1)) });
    };
    for (const request of ['a', 'b', 'c', 'd']) await settleAll(request);
    await tx.query(`select from ${schema.name}.claim for update`);

    await settleAll('e');
    await tx.query('commit');
    await settleAll('f');

    const { rows } = await pool.query(
      `select array_agg(request order by request) as kept from ${schema.name}.claim`,
    );
    expect(rows[0].kept).toEqual(['a', 'c', 'd', 'e', 'f']); // `a` is left to those who look for leases
  });

  it('find a run whose lease ran out while a transaction settled it, once that is rolled back', async () => {
    await submit({ id: 'a' }, { id: 'b' });
    const lanes = new Map([['l', 9]]);
    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 1 },
    });
    await broker.within(tx).exchange({ settle: completed(claimed.slice(0, 1)) });
    await sleep(5);

    expect((await broker.findExpired(9)).map(({ id }) => id)).toEqual(['b']);
    await tx.query('rollback');
    expect((await broker.findExpired(9)).map(({ id, epoch }) => [id, epoch])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('fence who held a run whose id was forgotten and given to another', async () => {
    const other = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    await submit({ id: 'a' });
    const lost = await claim('r');
    await other.exchange({ settle: lost.map(({ run }) => settlementOf(run, { type: 'fail', at: 0 })) });
    await other.discard(['a']);
    await submit({ id: 'a' });
    const waiting = await broker.exchange({ settle: completed(lost) });
    const [again] = await claim('again', 9, other);
    const started = await broker.exchange({ settle: completed(lost) });
    await other.close();

    expect([waiting.settled, started.settled]).toEqual([['fenced'], ['fenced']]);
    expect(again?.run.epoch).toBe(1);
  });

  it('let operators go on while one waits for a run that a transaction settles', async () => {
    await submit({ id: 'open' });
    await broker.within(tx).exchange({ settle: completed(await claim('r')) });
    await submit({ id: 'waits' }, { id: 'other' });
    const cancelling = broker.cancel(['open', 'waits']);
    while ((await broker.get(['waits']))[0]?.state !== 'cancelled') await sleep(5);

    expect(await broker.cancel(['other'])).toEqual(['cancelled']);
    await tx.query('commit');
    expect(await cancelling).toEqual(['ended', 'cancelled']);
  });

  it('list runs as they were found, also when they move on or are forgotten before they are read', async () => {
    await submit({ id: 'a' }, { id: 'b' });
    const settle = completed(await claim('r'));
    await tx.query('select pg_advisory_xact_lock(42)');
    await pool.query(`alter function ${schema.name}.show_runs rename to show_runs_then`);
    await pool.query(`create function ${schema.name}.show_runs(p_ids text[]) returns table (n bigint, shown json)
      language plpgsql stable as $$ begin perform pg_advisory_xact_lock_shared(42);
      return query select * from show_runs_then(p_ids); end $$`);
    const listing = broker.list({ state: 'started', limit: 9 });
    await untilBlocked();
    await broker.exchange({ settle });
    await broker.discard(['b']);
    await tx.query('commit');

    expect((await listing).map(({ id, state }) => [id, state])).toEqual([
      ['a', 'started'],
      ['b', 'started'],
    ]);
  });

  it('refuse to discard or redrive what waits, also what a transaction is moving', async () => {
    await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
    await broker.within(tx).exchange({ settle: completed(await claim('r')) });

    expect(await broker.discard(['parked'])).toEqual(['refused']);
    expect(await broker.redrive(['parked'])).toEqual(['refused']);
  });

  it('cancel what is parked while its key is freed, and neither is refused', async () => {
    const runs = ['holder', 'parked', 'second'].map((id) => ({ id, concurrency: ONE_AT_A_TIME }));
    await submit(...runs);
    const settle = completed(await claim('r'));
    await lock('run', 'second');
    const refused: unknown[] = [];
    const client: SqlClient = {
      query: (text, values) =>
        pool.query(text, values as unknown[]).catch((error) => {
          refused.push(error);
          throw error;
        }),
    };
    const watched = createPostgresBroker({ client, schema: schema.name, listen: false });
    const cancelling = watched.cancel(['parked', 'second']);
    await untilBlocked();
    const settling = watched.exchange({ settle });
    await untilBlocked(2);
    await tx.query('commit');

    expect(await cancelling).toEqual(['cancelled', 'cancelled']);
    expect((await settling).settled).toEqual(['ok']);
    expect(refused).toEqual([]);
    await watched.close();
  });

  it('cancel at any isolation level what has no key', async () => {
    await submit({ id: 'a' });
    await tx.query('set transaction isolation level serializable');
    const strict = createPostgresBroker({ client: tx, schema: schema.name, listen: false });

    expect(await strict.cancel(['a'])).toEqual(['cancelled']);
    await tx.query('commit');
    await strict.close();
  });

  it.each(['repeatable read', 'serializable'])(
    'refuse no settlement of a claim that a transaction at %s began too early to see',
    async (level) => {
      await tx.query(`set transaction isolation level ${level}`);
      await submit({ id: 'a' });
      await tx.query('select 1');
      const settle = completed(await claim('r'));

      await expect(broker.within(tx).exchange({ settle })).rejects.toMatchObject({ code: '40001' });
    },
  );

  it.each(['repeatable read', 'serializable'])(
    'free no key at %s, which would not see who waits for it',
    async (level) => {
      await tx.query(`set transaction isolation level ${level}`);
      await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
      const settle = completed(await claim('first', 1));
      await tx.query('select 1');
      await claim('parks');

      const settling = broker.within(tx).exchange({ settle });

      await expect(settling).rejects.toThrow('needs the isolation level read committed');
      await tx.query('rollback');
      expect((await broker.exchange({ settle })).settled).toEqual(['ok']);
      expect(idsOf(await claim('next'))).toEqual(['parked']);
    },
  );
});

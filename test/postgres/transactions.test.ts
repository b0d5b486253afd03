import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker, PostgresBrokerError } from '@retry/postgres';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('a transaction of the user', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  let tx: pg.PoolClient;
  let broker: PostgresBroker;
  beforeEach(async () => {
    pool = openPool(server().url);
    schema = await createTestSchema(pool);
    await pool.query(`create table ${schema.name}.orders (id text primary key)`);
    broker = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    tx = await pool.connect();
    await tx.query('begin');
    await tx.query(`insert into ${schema.name}.orders values ('order-1')`);
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

  const orders = async (): Promise<number> =>
    Number((await pool.query(`select count(*) from ${schema.name}.orders`)).rows[0].count);
  const claim = (requestId: string) => ({
    claim: { worker: 'w', requestId, limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 },
  });
  const submission = { id: 'a', lane: 'l', payload: '{}' };

  describe('submit', () => {
    it('is kept with what the transaction wrote, and not seen before', async () => {
      const answers = await broker.within(tx).submit([submission]);
      const before = (await broker.exchange(claim('before'))).claimed;
      await tx.query('commit');
      const after = (await broker.exchange(claim('after'))).claimed;

      expect(answers).toEqual(['created']);
      expect(before).toEqual([]);
      expect(after.map(({ run }) => run.id)).toEqual(['a']);
      expect(await orders()).toBe(1);
    });

    it('never was when the transaction is rolled back', async () => {
      await broker.within(tx).submit([submission, { ...submission, id: 'later', delayMs: 1 }]);
      await tx.query('rollback');

      expect(await broker.get(['a', 'later'])).toEqual([undefined, undefined]);
      expect(await broker.submit([submission])).toEqual(['created']);
      expect(await orders()).toBe(0);
    });

    it('tells nobody before the transaction commits, nor in it', async () => {
      await pool.query(`insert into ${schema.name}.waiter values ('somebody', 9e15)`);
      const heard: unknown[] = [];
      const listener = new pg.Client({ connectionString: server().url });
      await listener.connect();
      const { rows } = await pool.query(
        `select prosrc from pg_proc where proname = 'tell' and pronamespace = $1::regnamespace`,
        [schema.name],
      );
      const [, channel = ''] = /pg_notify\('([^']+)'/.exec(rows[0].prosrc) ?? [];
      await listener.query(`listen ${channel}`);
      listener.on('notification', (message) => heard.push(message));

      await broker.within(tx).submit([submission]);
      await tx.query('commit');
      await listener.query('select 1');
      const fromTransaction = heard.length;
      await broker.submit([{ ...submission, id: 'b' }]);
      await listener.query('select 1');
      await listener.end();

      expect([fromTransaction, heard.length]).toEqual([0, 1]);
    });
  });

  describe('settle', () => {
    it('completes a run with what the transaction wrote', async () => {
      await broker.submit([submission]);
      const { claimed, now } = await broker.exchange(claim('r'));
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));

      const reply = await broker.within(tx).exchange({ settle });
      const [before] = await broker.get(['a']);
      await tx.query('commit');

      expect(reply.settled).toEqual(['ok']);
      expect(before?.state).toBe('started');
      expect((await broker.get(['a']))[0]?.state).toBe('completed');
      expect((await broker.exchange({ settle })).settled).toEqual(['already']);
      expect(await orders()).toBe(1);
    });

    it('leaves the run to its lease when the transaction is rolled back', async () => {
      await broker.submit([submission]);
      const { claimed, now } = await broker.exchange(claim('r'));
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));

      await broker.within(tx).exchange({ settle });
      await tx.query('rollback');

      expect((await broker.get(['a']))[0]?.state).toBe('started');
      expect((await broker.exchange({ settle })).settled).toEqual(['ok']);
      expect(await orders()).toBe(0);
    });

    it('holds up neither heartbeats nor cleaners', async () => {
      await broker.submit([submission, { ...submission, id: 'other' }]);
      const { claimed, now } = await broker.exchange(claim('r'));
      const [first] = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));
      await broker.within(tx).exchange({ settle: first === undefined ? [] : [first] });

      const beats = await broker.heartbeat(
        ['a', 'other'].map((id) => ({ id, epoch: 1 })),
        1,
      );
      const expired = await broker.findExpired(9);

      expect(beats).toEqual(['ok', 'ok']);
      expect(expired).toEqual([]);
    });

    it('refuses a claim, and what is no client', async () => {
      await expect(broker.within(tx).exchange(claim('r'))).rejects.toThrow(PostgresBrokerError);
      expect(() => broker.within({})).toThrow('a transaction needs query(text, values)');
    });
  });
});

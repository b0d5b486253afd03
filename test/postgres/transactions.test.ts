import { InvalidOptionsError } from '@retry/core';
import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { channelOf } from '../../packages/postgres/src/schema/migrations.ts';
import { settlementOf } from '../support/settle.ts';
import type { TestSchema } from './open-broker.ts';
import { describeTwoConnections } from './two-connections.ts';

describeTwoConnections('a transaction of the user', (open) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  let tx: pg.PoolClient;
  let broker: PostgresBroker;
  beforeEach(async () => {
    ({ pool, schema, tx, broker } = open());
    await pool.query(`create table ${schema.name}.orders (id text primary key)`);
    await tx.query(`insert into ${schema.name}.orders values ('order-1')`);
  });

  const orders = async (): Promise<number> =>
    Number((await pool.query(`select count(*) from ${schema.name}.orders`)).rows[0].count);
  /** Subscribes as an idle worker of another process does; `received` returns how many notifications have arrived. */
  const subscribe = async () => {
    const notifications: unknown[] = [];
    const listener = new pg.Client({ connectionString: open().url });
    await listener.connect();
    await listener.query(`listen ${channelOf(schema.name)}`);
    listener.on('notification', (message) => notifications.push(message));
    const received = async (): Promise<number> => {
      await listener.query('select 1');
      return notifications.length;
    };
    return { received, close: () => listener.end() };
  };
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

    it('does not exist when the transaction is rolled back', async () => {
      await broker.within(tx).submit([submission, { ...submission, id: 'later', delayMs: 1 }]);
      await tx.query('rollback');

      expect(await broker.get(['a', 'later'])).toEqual([undefined, undefined]);
      expect(await broker.submit([submission])).toEqual(['created']);
      expect(await orders()).toBe(0);
    });

    it.each([
      ['no worker', { wakeOnCommit: false }, [0, 0]],
      ['idle workers once, at its commit,', { wakeOnCommit: true }, [0, 1]],
    ] as const)('notifies %s given %j', async (_who, options, [before, after]) => {
      const notifying = createPostgresBroker({
        client: pool,
        schema: schema.name,
        listen: false,
        ...options,
      });
      await pool.query(`insert into ${schema.name}.waiter values ('waiter', 9e15)`);
      const { received, close } = await subscribe();

      await notifying.within(tx).submit([submission]);
      await notifying.within(tx).submit([{ ...submission, id: 'second' }]);
      const inside = await received();
      await tx.query('commit');
      const committed = await received();
      await notifying.submit([{ ...submission, id: 'outside' }]);
      const outside = await received();
      await close();

      expect([inside, committed, outside]).toEqual([before, after, after + 1]);
    });

    it.each(['rolled back', 'committed while no worker is idle'])(
      'notifies no worker when it is %s',
      async (end) => {
        const notifying = createPostgresBroker({
          client: pool,
          schema: schema.name,
          listen: false,
          wakeOnCommit: true,
        });
        const isRolledBack = end === 'rolled back';
        if (isRolledBack) await pool.query(`insert into ${schema.name}.waiter values ('waiter', 9e15)`);
        const { received, close } = await subscribe();

        await notifying.within(tx).submit([submission]);
        await tx.query(isRolledBack ? 'rollback' : 'commit');
        const count = await received();
        await close();

        expect(count).toBe(0);
      },
    );
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

    it('keeps the run started when the transaction is rolled back', async () => {
      await broker.submit([submission]);
      const { claimed, now } = await broker.exchange(claim('r'));
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));

      await broker.within(tx).exchange({ settle });
      await tx.query('rollback');

      expect((await broker.get(['a']))[0]?.state).toBe('started');
      expect((await broker.exchange({ settle })).settled).toEqual(['ok']);
      expect(await orders()).toBe(0);
    });

    it.each([
      ['commit', 'failed', 'submitted'],
      ['rollback', 'started', undefined],
    ])('submits another run together with the end of its own: %s', async (end, state, next) => {
      await broker.submit([submission, { ...submission, id: 'other' }]);
      const { claimed, now: at } = await broker.exchange(claim('r'));
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }));
      const submit = { id: '{a}next', lane: 'm', payload: '1', origin: 'a' };
      const both = settle.map((one) => (one.id === 'a' ? { ...one, submit } : one));

      const reply = await broker.within(tx).exchange({ settle: both });
      const before = await broker.get(['a', '{a}next']);
      await tx.query(end);

      expect(reply.settled).toEqual(['ok', 'ok']);
      expect(before.map((run) => run?.state)).toEqual(['started', undefined]);
      expect((await broker.get(['a', 'other', '{a}next'])).map((run) => run?.state)).toEqual([
        state,
        state,
        next,
      ]);
      const { settled } = await broker.exchange({ settle: both });
      expect(settled).toEqual(end === 'commit' ? ['already', 'already'] : ['ok', 'ok']);
      expect(await broker.audit()).toMatchObject({ created: 3, submitted: 1, unbalanced: 0 });
    });

    it('refuses to be answered instead of waiting: a statement that gives up at a lock ends the transaction', async () => {
      const inside = broker.within(tx);

      for (const call of [
        () => inside.submit([submission], { whenLocked: 'answer' }),
        () => inside.exchange({ settle: [], whenLocked: 'answer' }),
      ])
        await expect(call()).rejects.toThrow('whenLocked cannot be part of a transaction');

      expect(await inside.submit([submission], { whenLocked: 'wait' })).toEqual(['created']);
    });

    it('blocks neither heartbeats nor cleaners', async () => {
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

    it('refuses a claim, and a transaction that is no client', async () => {
      await expect(broker.within(tx).exchange(claim('r'))).rejects.toThrow(InvalidOptionsError);
      expect(() => broker.within({})).toThrow(
        'the transaction must have query(text, values), got "a value of type object". Pass',
      );
      expect(() => broker.within(pool)).toThrow(
        'the transaction must be one connection, got "a pool". Each call',
      );
    });
  });
});

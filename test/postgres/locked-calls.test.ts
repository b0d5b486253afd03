import { setTimeout as pause } from 'node:timers/promises';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import { createQueue, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

const task = defineTask({ name: 'save', run: () => {} });

describeOnPostgres('calls that do not wait for a lock', (server) => {
  let admin: pg.Pool;
  let schema: TestSchema;
  beforeAll(async () => {
    admin = openPool(server().url, 4);
    schema = await createTestSchema(admin);
  });
  afterAll(async () => {
    await schema.drop();
    await admin.end();
  });

  /** A pool of one connection, and how often it was opened. */
  const countingPool = (options: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ connectionString: server().url, max: 1, ...options });
    const opened = { times: 0 };
    pool.on('connect', () => {
      opened.times += 1;
    });
    return { pool, opened };
  };
  const open = (client: SqlClient) => createPostgresBroker({ client, schema: schema.name, listen: false });
  const submitWaiting = (id: string) =>
    open(admin).submit([{ id, lane: 'l', payload: '1', delayMs: 3_600_000 }]);
  /** Replaces the run of a key in a transaction that stays open: it has the lock of operators until then. */
  const lockOperators = async (): Promise<() => Promise<void>> => {
    const client = await admin.connect();
    await client.query('begin');
    const queue = createQueue({ broker: open(admin) });
    const unique = { key: 'other', onConflict: 'replace' } as const;
    await queue.submit(task, undefined, { delay: '1h', unique });
    await queue.submit(task, undefined, { delay: '1h', unique, tx: client });
    return async () => {
      await client.query('rollback');
      client.release();
    };
  };

  describe.each([
    ['a pool', {}],
    ['a pool of another isolation level', { options: '-c default_transaction_isolation=serializable' }],
  ])('on %s', (_how, options) => {
    it('keep their connection when they are locked, and when they are not', async () => {
      const { pool, opened } = countingPool(options);
      const broker = open(pool);
      await submitWaiting('a');
      const unlock = await lockOperators();

      const locked = [await cancelRuns(broker, ['a']), await cancelRuns(broker, ['a'])];
      await unlock();
      const after = await cancelRuns(broker, ['a']);
      await discardRuns(broker, ['a']);

      expect(locked).toEqual([['locked'], ['locked']]);
      expect(after).toEqual(['cancelled']);
      expect(opened.times).toBe(1);
      await pool.end();
    });
  });

  it('leave the connection of submitMany to other calls while a transaction has one of its keys', async () => {
    const { pool } = countingPool();
    const queue = createQueue({ broker: open(pool) });
    const client = await admin.connect();
    await client.query('begin');
    const unique = { key: 'of many' } as const;
    const { id } = await queue.submit(task, undefined, { delay: '1h', unique, tx: client });

    const submitted = queue.submitMany(task, [undefined, undefined], {
      delay: '1h',
      each: (_, index) => ({ unique: index === 0 ? unique : { key: 'another' } }),
    });
    await pause(50); // its first call is under way, or was answered
    const other = await queue.get('unknown'); // what the transaction may wait for
    await client.query('commit');
    client.release();

    expect(other).toBeUndefined();
    expect(await submitted).toMatchObject([{ id, isNew: false }, { isNew: true }]);
    await pool.end();
  });

  it('keep the connection of a broker that has a url', async () => {
    const url = `${server().url}${server().url.includes('?') ? '&' : '?'}application_name=${schema.name}`;
    const broker = createPostgresBroker({ url, schema: schema.name, connections: 1, listen: false });
    const pids = async (): Promise<unknown> => {
      const text = 'select pid from pg_stat_activity where application_name = $1';
      return (await admin.query(text, [schema.name])).rows;
    };
    await submitWaiting('kept');
    await cancelRuns(broker, ['unknown']);
    const before = await pids();
    const unlock = await lockOperators();

    const locked = await cancelRuns(broker, ['kept']);
    await unlock();

    expect(locked).toEqual(['locked']);
    expect(before).toHaveLength(1);
    expect(await pids()).toEqual(before);
    await broker.close();
  });

  it('close a connection whose statement failed otherwise', async () => {
    const { pool, opened } = countingPool();
    const broker = open(pool);
    await submitWaiting('b');
    await admin.query(`alter function ${schema.name}.lock_waiting rename to lock_other`);

    const failed = await cancelRuns(broker, ['b']).catch((error: unknown) => error);
    await admin.query(`alter function ${schema.name}.lock_other rename to lock_waiting`);

    expect(failed).toMatchObject({ code: '42883' });
    expect(await cancelRuns(broker, ['b'])).toEqual(['cancelled']);
    expect(opened.times).toBeGreaterThan(1);
    await pool.end();
  });

  it('leave the latest submission of a unique key, though an earlier one was locked', async () => {
    const queue = createQueue({ broker: open(admin) });
    const states: unknown[] = [];
    for (const pauseMs of [45, 55, 65, 75, 85, 95]) {
      const unique = { key: `draft-${pauseMs}`, onConflict: 'replace' } as const;
      await queue.submit(task, undefined, { delay: '1h', unique });
      const unlock = await lockOperators();

      const earlier = queue.submit(task, undefined, { delay: '1h', unique });
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      const later = queue.submit(task, undefined, { delay: '1h', unique });
      await unlock();

      for (const { id } of await Promise.all([earlier, later])) states.push((await queue.get(id))?.state);
    }

    expect(states).toEqual(Array.from({ length: 6 }, () => ['cancelled', 'scheduled']).flat());
  });
});

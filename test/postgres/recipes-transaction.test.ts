import type { SqlClient, TransactionClient } from '@retry/postgres';
import { createPostgresBroker, transaction } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPGlite } from '../support/pglite.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { createTestSchema, openPool } from './open-broker.ts';

interface Subject {
  readonly client: TransactionClient;
  /** What the broker uses: a single client that it shared with a transaction would send its calls as part of that. */
  readonly brokerClient?: SqlClient;
  readonly close: () => Promise<unknown>;
}

function testTransaction(open: () => Promise<Subject>): void {
  let subject: Subject;
  let client: TransactionClient;
  let schema: TestSchema;
  let orders: string;
  beforeAll(async () => {
    subject = await open();
    client = subject.client;
    schema = await createTestSchema(client);
    orders = `${schema.name}.orders`;
    await client.query(`create table ${orders} (id text primary key)`);
  });
  afterEach(() => client.query(`truncate ${orders}`));
  afterAll(async () => {
    await schema.drop();
    await subject.close();
  });

  const insert = (tx: SqlClient, id: string): Promise<unknown> =>
    tx.query(`insert into ${orders} values ($1)`, [id]);
  const kept = async (): Promise<unknown> =>
    (await client.query(`select array_agg(id order by id) as ids from ${orders}`)).rows;

  it('commits, and returns what the work returned', async () => {
    const returned = await transaction(client, async (tx) => {
      await insert(tx, 'a');
      const { rows } = await tx.query('select 1 as one');
      return rows;
    });

    expect(returned).toEqual([{ one: 1 }]);
    expect(await kept()).toEqual([{ ids: ['a'] }]);
  });

  it('rolls back when the work throws, and throws the same', async () => {
    const error = new Error('no');

    const thrown = await transaction(client, async (tx) => {
      await insert(tx, 'a');
      throw error;
    }).catch((reason: unknown) => reason);

    expect(thrown).toBe(error);
    expect(await kept()).toEqual([{ ids: null }]);
  });

  it('throws the error of a failed statement that the work caught: nothing would be committed', async () => {
    const done = transaction(client, async (tx) => {
      await insert(tx, 'a');
      await insert(tx, 'a').catch(() => {});
    });

    await expect(done).rejects.toMatchObject({ code: '23505' });
    expect(await kept()).toEqual([{ ids: null }]);
  });

  it('throws that error also where statements after it were refused and caught', async () => {
    const done = transaction(client, async (tx) => {
      await insert(tx, 'a');
      for (const id of ['a', 'b', 'c']) await insert(tx, id).catch(() => {});
    });

    await expect(done).rejects.toMatchObject({ code: '23505' });
  });

  it('commits what a savepoint has saved from a failed statement', async () => {
    await transaction(client, async (tx) => {
      await insert(tx, 'a');
      await tx.query('savepoint before_b');
      await insert(tx, 'a').catch(() => tx.query('rollback to savepoint before_b'));
      await insert(tx, 'b');
    });

    expect(await kept()).toEqual([{ ids: ['a', 'b'] }]);
  });

  it('keeps transactions that run at the same time apart', async () => {
    const ends = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((id, index) =>
        transaction(client, async (tx) => {
          await insert(tx, id);
          if (index % 2 === 1) throw new Error(id);
        }),
      ),
    );

    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected']);
    expect(await kept()).toEqual([{ ids: ['a', 'c'] }]);
  });

  it.each(['returned', 'threw'])('refuses statements of its tx once the work %s', async (how) => {
    const ended: SqlClient[] = [];
    const done = transaction(client, async (tx) => {
      ended.push(tx);
      if (how === 'threw') throw new Error('no');
    });
    await done.catch(() => {});

    const late = await Promise.allSettled(ended.map((tx) => insert(tx, 'late')));

    expect(late).toMatchObject([{ status: 'rejected', reason: { code: 'NO_TRANSACTION' } }]);
    expect(await kept()).toEqual([{ ids: null }]);
  });

  it('rolls back what the work did not await, and says so', async () => {
    let left: Promise<unknown> = Promise.resolve();

    const done = transaction(client, async (tx) => {
      await insert(tx, 'a');
      left = insert(tx, 'b');
    });

    await expect(done).rejects.toMatchObject({ code: 'NOT_AWAITED' });
    await left;
    expect(await kept()).toEqual([{ ids: null }]);
  });

  it('throws what the work threw after the statements that it did not await', async () => {
    const error = new Error('no');

    const done = transaction(client, async (tx) => {
      insert(tx, 'a').catch(() => {});
      throw error;
    });

    await expect(done).rejects.toBe(error);
    expect(await kept()).toEqual([{ ids: null }]);
  });

  it('completes a run with what its handler wrote: both or neither', async () => {
    const broker = createPostgresBroker({
      client: subject.brokerClient ?? client,
      schema: schema.name,
      listen: false,
    });
    const queue = createQueue({ broker });
    const charge = defineTask({
      name: 'charge',
      retry: { maxAttempts: 2, backoff: { type: 'none' } },
      run: (_: null, { attempt, complete }) =>
        transaction(client, async (tx) => {
          await insert(tx, `attempt-${attempt}`);
          await complete({ tx, result: { attempt } });
          if (attempt === 1) throw new Error('no');
        }),
    });
    const worker = createWorker({ broker, tasks: [charge], signals: [] });
    const { id } = await queue.submit(charge, null);

    worker.start();
    await worker.whenIdle();
    await worker.stop();

    expect(await queue.result(id)).toMatchObject({ state: 'completed', result: { attempt: 2 } });
    expect(await kept()).toEqual([{ ids: ['attempt-2'] }]);
    await broker.close();
  });
}

it.each([undefined, null, 'postgres://a:secret@b/c', {}])(
  'transaction refuses the client %j',
  async (client) => {
    const refused = transaction(client as unknown as SqlClient, async () => {}); // a caller without types may pass it

    await expect(refused).rejects.toMatchObject({ code: 'INVALID_OPTIONS' });
    await expect(refused).rejects.toThrow('client must have query(text, values)');
  },
);

describe('transaction on PGlite', () => {
  testTransaction(async () => {
    const client = await openPGlite();
    return { client, close: () => client.close() };
  });
});

describeOnPostgres('transaction', (server) => {
  describe('on a pool of pg', () => {
    testTransaction(async () => {
      const client = openPool(server().url, 4);
      return { client, close: () => client.end() };
    });
  });

  describe('on a client of pg', () => {
    testTransaction(async () => {
      const client = new pg.Client({ connectionString: server().url });
      await client.connect();
      const brokerClient = openPool(server().url, 2);
      return { client, brokerClient, close: () => Promise.all([client.end(), brokerClient.end()]) };
    });
  });

  describe('on a connection that breaks', () => {
    let pool: pg.Pool;
    beforeEach(() => {
      pool = openPool(server().url, 1);
    });
    afterEach(() => pool.end());

    it('throws the error of the next statement, and removes the connection from the pool', async () => {
      const broken = transaction(pool, async (tx) => {
        const { rows } = await tx.query('select pg_backend_pid() as pid');
        const killer = openPool(server().url, 1);
        await killer.query('select pg_terminate_backend($1)', [(rows[0] as { pid: number }).pid]);
        await killer.end();
        await tx.query('select 1');
      });

      await expect(broken).rejects.toThrow(Error);
      expect(await transaction(pool, async (tx) => (await tx.query('select 1 as one')).rows)).toEqual([
        { one: 1 },
      ]);
    });
  });
});

import { randomUUID } from 'node:crypto';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { PostgresBroker } from '@retry/postgres';
import { createPostgresBroker, transaction } from '@retry/postgres';
import type { Completion, TaskContext, Worker } from '@retry/worker';
import { createQueue, createWorker, defineTask, LeaseLostError } from '@retry/worker';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { promiseOf } from '../contract/worker/worker-scene.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import type { TestSchema } from './open-broker.ts';
import { lendTestSchema, openPool } from './open-broker.ts';

describeOnPostgres('a task in a transaction', (server) => {
  let pool: pg.Pool;
  let schema: TestSchema;
  let broker: PostgresBroker;
  let orders: string;
  let listen: (worker: Worker) => void;
  beforeEach(async () => {
    listen = () => {};
    pool = openPool(server().url);
    schema = await lendTestSchema(pool);
    orders = `orders_${randomUUID().slice(0, 8)}`;
    await pool.query(`create table ${orders} (id text primary key)`);
    broker = createPostgresBroker({ client: pool, schema: schema.name });
  });
  afterEach(async () => {
    const { unbalanced } = await broker.audit();
    await broker.close();
    await schema.drop();
    await pool.query(`drop table ${orders}`);
    await pool.end();
    expect(unbalanced).toBe(0);
  });

  /** Runs one run of a task whose handler writes an order and completes in the same transaction. Returns its result. */
  const runOnce = async (handle: (tx: pg.PoolClient, attempt: number) => Promise<void>) => {
    const queue = createQueue({ broker });
    const task = defineTask({
      name: 'order',
      retry: { maxAttempts: 2, backoff: { type: 'none' } },
      run: async (id: string, { attempt, complete }) => {
        const tx = await pool.connect();
        try {
          await tx.query('begin');
          await tx.query(`insert into ${orders} values ($1)`, [`${id}-${attempt}`]);
          await complete({ tx, result: { attempt } });
          await handle(tx, attempt);
        } finally {
          await tx.query('rollback');
          tx.release();
        }
      },
    });
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    listen(worker);
    const { id } = await queue.submit(task, 'order');
    worker.start();
    await worker.whenIdle();
    await worker.stop();
    return queue.result(id);
  };
  const kept = async () =>
    (await pool.query(`select id from ${orders} order by id`)).rows.map(({ id }) => id);

  it('is completed with what its handler wrote, result and all', async () => {
    const result = await runOnce(async (tx) => {
      await tx.query('commit');
    });

    expect(result).toMatchObject({ state: 'completed', result: { attempt: 1 } });
    expect(await kept()).toEqual(['order-1']);
  });

  it('is retried when its transaction is rolled back', async () => {
    const result = await runOnce(async (tx, attempt) => {
      if (attempt === 1) throw new Error('no');
      await tx.query('commit');
    });

    expect(result).toMatchObject({ state: 'completed', result: { attempt: 2 } });
    expect(await kept()).toEqual(['order-2']);
  });

  it('fails its attempt when its transaction is rolled back and its handler returns normally', async () => {
    const result = await runOnce(async (tx, attempt) => {
      if (attempt === 1) await tx.query('rollback');
      else await tx.query('commit');
    });

    expect(result).toMatchObject({
      state: 'completed',
      result: { attempt: 2 },
      attempts: 2,
      errors: [{ name: 'NotCommittedError' }],
    });
    expect(await kept()).toEqual(['order-2']);
  });

  it('is a dead letter when no attempt commits', async () => {
    const result = await runOnce(async (tx) => {
      await tx.query('rollback');
    });

    expect(result).toMatchObject({ state: 'failed', attempts: 2 });
    expect(await kept()).toEqual([]);
  });

  it('is reported as completed, once, with the commit of its handler', async () => {
    const events: string[] = [];
    listen = (worker) => {
      for (const type of ['completed', 'failed', 'retried', 'fenced'] as const)
        worker.on(type, () => void events.push(type));
    };
    await runOnce(async (tx) => {
      await tx.query('commit');
      throw new Error('too late');
    });

    expect(events).toEqual(['completed']);
  });

  it('stays completed when its handler throws after the commit', async () => {
    const result = await runOnce(async (tx) => {
      await tx.query('commit');
      throw new Error('too late');
    });

    expect(result).toMatchObject({ state: 'completed', result: { attempt: 1 } });
    expect(await kept()).toEqual(['order-1']);
  });

  it.each([
    ['its attempt timeout', { retry: { maxAttempts: 1, attemptTimeout: '1.5s' } }],
    ['a missed heartbeat', { retry: { maxAttempts: 1 }, heartbeat: '1.5s' }],
    ['its total timeout', { retry: { maxAttempts: 1, totalTimeout: '1.5s' } }],
  ] as const)(
    'is not settled by %s while its transaction waits for another run of the worker',
    async (_, options) => {
      const queue = createQueue({ broker });
      const other = defineTask({ name: 'other', run: async () => 'done' });
      const events: string[] = [];
      const order = defineTask({
        name: 'order',
        ...options,
        run: async (id: string, { complete, signal }) => {
          const tx = await pool.connect();
          try {
            await tx.query('begin');
            await tx.query(`insert into ${orders} values ($1)`, [id]);
            await complete({ tx, result: 'paid' });
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
            await queue.submitAndWait(other, null, { timeout: '20s' });
            await tx.query('commit');
          } finally {
            tx.release();
          }
        },
      });
      const worker = createWorker({ broker, tasks: [order, other], signals: [] });
      for (const type of ['completed', 'failed', 'retried', 'stalled', 'fenced'] as const)
        worker.on(type, ({ task }) => void events.push(`${type} ${task}`));
      worker.start();
      const { id } = await queue.submit(order, 'order');
      await worker.whenIdle();
      await worker.stop();

      expect(await queue.result(id)).toMatchObject({ state: 'completed', result: 'paid' });
      expect(events).toEqual(['completed other', 'completed order']);
      expect(await kept()).toEqual(['order']);
    },
  );

  it('ends as it was stopped when its transaction is rolled back afterwards', async () => {
    const queue = createQueue({ broker });
    const order = defineTask({
      name: 'order',
      retry: {
        maxAttempts: 2,
        attemptTimeout: '1.5s',
        retryOn: [{ name: 'NoSuchError' }],
        backoff: { type: 'none' },
      },
      run: async (_: null, { attempt, complete, signal }) => {
        if (attempt === 2) return 'done';
        const tx = await pool.connect();
        await tx.query('begin');
        await complete({ tx, result: 'paid' });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        await tx.query('rollback');
        tx.release();
        throw new Error('no');
      },
    });
    const worker = createWorker({ broker, tasks: [order], signals: [] });
    worker.start();
    const { id } = await queue.submit(order, null);
    await worker.whenIdle();
    await worker.stop();

    expect(await queue.result(id)).toMatchObject({
      state: 'completed',
      result: 'done',
      errors: [{ name: 'AttemptTimeoutError' }],
    });
  });

  describe('whose handler leaves its transaction open', () => {
    const ONE_BY_ONE = { concurrency: 1, lease: '2s', signals: [] } as const;
    const leave: Record<string, (signal: AbortSignal) => unknown> = {
      'throws without ending it': () => {
        throw new Error('left');
      },
      'returns without ending it': () => 'left',
      'never returns': () => new Promise(() => {}),
    };
    let tx: pg.PoolClient;
    const order = (how: string) =>
      defineTask({
        name: 'order',
        retry: { maxAttempts: 1, attemptTimeout: '1.5s' },
        run: async (_: null, { complete, signal }) => {
          await tx.query('begin');
          await complete({ tx, result: 'paid' });
          return leave[how]?.(signal);
        },
      });
    const other = defineTask({ name: 'other', run: () => 'done' });
    beforeEach(async () => {
      tx = await pool.connect();
    });
    afterEach(() => tx.release());

    it.each(Object.keys(leave))('and %s: the other runs of its worker go on', async (how) => {
      const queue = createQueue({ broker });
      const task = order(how);
      const worker = createWorker({ broker, tasks: [task, other], ...ONE_BY_ONE });
      worker.start();
      const { id } = await queue.submit(task, null);
      const done = await queue.submitAndWait(other, null, { timeout: '20s' });
      await tx.query('rollback');
      await worker.whenIdle();
      await worker.stop();

      expect(done).toBe('done');
      expect(await queue.result(id)).toMatchObject({ state: 'failed', attempts: 1 });
    });

    it.each(Object.keys(leave))('and %s: it says so, and its worker can stop', async (how) => {
      const queue = createQueue({ broker });
      const task = order(how);
      const worker = createWorker({ broker, tasks: [task, other], ...ONE_BY_ONE });
      const errors: unknown[] = [];
      const said = new Promise((resolve) => {
        worker.on('error', ({ error, doing }) => resolve(errors.push([String(error), doing])));
      });
      worker.start();
      const { id } = await queue.submit(task, null);
      await said;
      await worker.stop();
      await tx.query('commit');

      expect(errors).toEqual([
        [
          'StalledError: the transaction in which its handler completed it is still open',
          `settling run ${id}, epoch 1: its lease is left to expire`,
        ],
      ]);
      expect(await queue.result(id)).toMatchObject({ state: 'completed', result: 'paid' });
    });
  });

  it('gets a LeaseLostError when another worker holds the run, and writes nothing', async () => {
    const queue = createQueue({ broker });
    const refused: unknown[] = [];
    const task = defineTask({
      name: 'order',
      retry: { maxAttempts: 1 },
      run: async (_: null, { id, complete }) => {
        await pool.query(`update ${schema.name}.run set epoch = epoch + 1 where id = $1`, [id]);
        const tx = await pool.connect();
        await tx.query('begin');
        await complete({ tx }).catch((error) => refused.push(error));
        await tx.query('rollback');
        tx.release();
        await pool.query(`update ${schema.name}.run set epoch = epoch - 1 where id = $1`, [id]);
      },
    });
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    await queue.submit(task, null);
    worker.start();
    await worker.whenIdle();
    await worker.stop();

    expect(refused).toEqual([expect.any(LeaseLostError)]);
  });

  describe('whose call of ctx.complete is refused before it reaches the transaction', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    let begun: pg.PoolClient;
    let idle: pg.PoolClient;
    beforeEach(async () => {
      begun = await pool.connect();
      idle = await pool.connect();
      await begun.query('begin');
    });
    afterEach(async () => {
      await begun.query('rollback');
      begun.release();
      idle.release();
    });

    it.each<[string, string, () => Completion]>([
      ['for a tx that is no client', 'INVALID_OPTIONS', () => ({ tx: {} })],
      ['for a pool', 'INVALID_OPTIONS', () => ({ tx: pool })],
      ['for a client that began no transaction', 'NO_TRANSACTION', () => ({ tx: idle })],
      ['for a result with a cycle', 'INVALID_PAYLOAD', () => ({ tx: begun, result: cycle })],
      ['for a large result', 'INVALID_PAYLOAD', () => ({ tx: begun, result: 'x'.repeat(2_000_000) })],
    ])('%s: it ends as its handler does, and in time', async (_, code, completion) => {
      const queue = createQueue({ broker });
      const codes: unknown[] = [];
      const completeIn = ({ complete }: TaskContext) =>
        complete(completion()).catch((error) => codes.push(error.code));
      const returning = defineTask({
        name: 'returning',
        retry: { maxAttempts: 1 },
        run: async (_: null, context) => {
          await completeIn(context);
          return 'done';
        },
      });
      const hanging = defineTask({
        name: 'hanging',
        abandonAfter: 0,
        retry: { maxAttempts: 1, attemptTimeout: '100ms' },
        run: async (_: null, context) => {
          await completeIn(context);
          await new Promise(() => {});
        },
      });
      const worker = createWorker({ broker, tasks: [returning, hanging], signals: [], lease: '1m' });
      worker.start();

      const result = await queue.submitAndWait(returning, null, { timeout: '20s' });
      const late = await queue.submitAndWait(hanging, null, { timeout: '20s' }).catch(({ cause }) => cause);
      await worker.stop();

      expect(codes).toEqual([code, code]);
      expect(result).toBe('done');
      expect(late).toMatchObject({ name: 'AttemptTimeoutError' });
    });
  });

  it('is submitted with what the transaction wrote, or not at all', async () => {
    const queue = createQueue({ broker });
    const task = defineTask({ name: 'order', run: (_: number) => {} });
    const tx = await pool.connect();
    await tx.query('begin');
    const { id } = await queue.submit(task, 1, { tx });
    await queue.submitMany(task, [2, 3], { tx });
    const before = await queue.get(id);
    await tx.query('commit');
    await tx.query('begin');
    const { id: lost } = await queue.submit(task, 4, { tx });
    await tx.query('rollback');
    tx.release();

    expect(before).toBeUndefined();
    expect((await queue.get(id))?.state).toBe('submitted');
    expect(await queue.get(lost)).toBeUndefined();
    expect((await queue.counts()).created).toBe(3);
  });

  describe('whose handler does not await what gets the tx', () => {
    const late = defineTask({ name: 'late', run: () => {} });

    it('submits nothing into the next transaction of the connection', async () => {
      const one = openPool(server().url, 1);
      const queue = createQueue({ broker });
      const next = promiseOf<void>();
      let refused: Promise<unknown> = Promise.resolve();
      await transaction(one, async (tx) => {
        refused = next.promise.then(() => queue.submit(late, null, { tx })).catch((error: unknown) => error);
      });

      await transaction(one, () => {
        next.resolve();
        return refused;
      });
      await one.end();

      expect(await refused).toMatchObject({ code: 'NO_TRANSACTION' });
      expect((await queue.counts()).created).toBe(0);
    });

    it('is not completed by a transaction that was rolled back', async () => {
      const queue = createQueue({ broker });
      const task = defineTask({
        name: 'task',
        retry: { maxAttempts: 1 },
        run: async (_: null, { complete }) => {
          const over = promiseOf<void>();
          let completed: Promise<unknown> = Promise.resolve();
          await transaction(pool, async (tx) => {
            completed = over.promise.then(() => complete({ tx, result: 'paid' }));
            throw new Error('no');
          }).catch(() => {});
          over.resolve();
          await completed;
        },
      });
      const worker = createWorker({ broker, tasks: [task], signals: [] });
      worker.start();
      const { id } = await queue.submit(task, null);
      await worker.whenIdle();
      await worker.stop();

      expect(await queue.result(id)).toMatchObject({
        state: 'failed',
        errors: [{ message: expect.stringContaining('the transaction of this tx is over') }],
      });
    });
  });

  describe('submitted by a client of pg', () => {
    const task = defineTask({ name: 'order', run: () => {} });
    let tx: pg.PoolClient;
    beforeEach(async () => {
      tx = await pool.connect();
    });
    afterEach(() => tx.release());

    it.each([
      ['has begun no transaction', []],
      ['has committed its transaction', ['begin', 'commit']],
      ['has rolled its transaction back', ['begin', 'rollback']],
    ])('is refused when that %s', async (_, statements) => {
      const queue = createQueue({ broker });
      for (const statement of statements) await tx.query(statement);

      const submitted = queue.submit(task, null, { tx });

      await expect(submitted).rejects.toMatchObject({ code: 'NO_TRANSACTION' });
      expect((await queue.counts()).created).toBe(0);
    });

    it('is accepted while its begin is under way', async () => {
      const queue = createQueue({ broker });

      const begun = tx.query('begin');
      const { id } = await queue.submit(task, null, { tx });
      await begun;
      const before = await queue.get(id);
      await tx.query('commit');

      expect(before).toBeUndefined();
      expect(await queue.get(id)).toMatchObject({ state: 'submitted' });
    });

    it('gets the error of the server when its transaction has failed', async () => {
      const queue = createQueue({ broker });
      await tx.query('begin');
      await tx.query('select 1 / 0').catch(() => {});

      const submitted = queue.submit(task, null, { tx });

      await expect(submitted).rejects.toMatchObject({ code: '25P02' });
      await tx.query('rollback');
    });
  });

  it('needs a broker in the same database', async () => {
    const queue = createQueue({ broker: createMemoryBroker() });
    const task = defineTask({ name: 'order', run: (_: number) => {} });

    await expect(queue.submit(task, 1, { tx: pool })).rejects.toThrow(
      'tx needs a broker in your own database',
    );
  });
});

import { createPostgresBroker } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeBrokerContract } from '../contract/describe-broker-contract.ts';
import {
  describeWorkerOnBroker,
  PARTS_OF_CONNECTIONS,
} from '../contract/worker/describe-worker-on-broker.ts';
import { passTime } from '../support/pass-time.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import type { TransactionPooler } from '../support/servers/transaction-pooler.ts';
import { openTransactionPooler } from '../support/servers/transaction-pooler.ts';
import { createTestSchema, openPool, openPostgresQueue } from './open-broker.ts';
import type { SchemaPool } from './schema-pool.ts';
import { createSchemaPool } from './schema-pool.ts';

const CLIENTS = 10;
const RUNS = 1_000;

describeOnPrivatePostgres('through a pooler in transaction mode', () => {
  let server: PrivatePostgres;
  let pooler: TransactionPooler;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    pooler = await openTransactionPooler(server.url, 2);
  });
  afterAll(async () => {
    await pooler.close();
    await server.stop();
  });

  describe('of two connections', () => {
    let schemas: SchemaPool;
    beforeAll(async () => {
      schemas = await createSchemaPool(pooler.url);
    });
    afterAll(() => schemas.drop());

    describeBrokerContract('the Postgres broker', {
      open: (options) => schemas.open({ ...options, url: pooler.url }),
      everyNth: 10,
    });
  });

  describeWorkerOnBroker('workers', {
    open: () => openPostgresQueue(pooler.url),
    parts: PARTS_OF_CONNECTIONS,
  });

  it('ten processes with connections of their own share two, and lose nothing', async () => {
    const lentBefore = pooler.lent();
    const pool = openPool(pooler.url, 2);
    const schema = await createTestSchema(pool);
    await pool.query(`create table ${schema.name}.orders (id integer primary key)`);
    const brokers = Array.from({ length: CLIENTS }, () =>
      createPostgresBroker({ url: pooler.url, schema: schema.name, keepCompleted: { count: Infinity } }),
    );
    const starts = new Map<string, number>();
    const task = defineTask({
      name: 'order',
      retry: { maxAttempts: 3, backoff: { type: 'none' } },
      run: async (_: number, { id, attempt }) => {
        starts.set(id, (starts.get(id) ?? 0) + 1);
        if (attempt === 1) throw new Error('not yet');
        await passTime(1);
      },
    });
    const workers = brokers.map((broker) =>
      createWorker({ broker, tasks: [task], concurrency: 5, signals: [] }),
    );
    const errors: unknown[] = [];
    for (const worker of workers) worker.on('error', ({ error }) => errors.push(error));
    for (const worker of workers) worker.start();

    await Promise.all(
      brokers.map(async (broker, client) => {
        const queue = createQueue({ broker });
        for (let index = client; index < RUNS; index += CLIENTS) {
          const tx = await pool.connect();
          await tx.query('begin');
          await tx.query(`insert into ${schema.name}.orders values ($1)`, [index]);
          await queue.submit(task, index, { tx });
          await tx.query(index % 2 === 0 ? 'commit' : 'rollback');
          tx.release();
        }
      }),
    );
    await Promise.all(workers.map((worker) => worker.whenIdle()));

    const audit = await brokers[0]?.audit();
    const { rows } = await pool.query(`select count(*)::integer as orders from ${schema.name}.orders`);
    await Promise.all(workers.map((worker) => worker.stop()));
    await Promise.all(brokers.map((broker) => broker.close()));
    await schema.drop();
    await pool.end();
    expect(errors).toEqual([]);
    expect(pooler.lent() - lentBefore).toBeGreaterThan(RUNS);
    expect(audit).toMatchObject({ created: RUNS / 2, unbalanced: 0, ended: { completed: RUNS / 2 } });
    expect(rows).toEqual([{ orders: RUNS / 2 }]);
    expect([...starts.values()]).toEqual(Array(RUNS / 2).fill(2));
  });
});

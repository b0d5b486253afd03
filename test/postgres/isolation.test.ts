import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { settlementOf } from '../support/settle.ts';
import { openPool } from './open-broker.ts';
import { describeTwoConnections } from './two-connections.ts';

describeOnPrivatePostgres('a role with another isolation level by default', () => {
  it.each(['repeatable read', 'serializable'])('does not stop a broker with a url: %s', async (level) => {
    const server = await startPrivatePostgres(['fsync=off']);
    const pool = openPool(server.url, 1);
    await migrate(pool);
    await pool.query(`create role strict login superuser`);
    await pool.query(`alter role strict set default_transaction_isolation = '${level}'`);
    const broker = createPostgresBroker({ url: server.url.replace('postgres@', 'strict@') });
    const task = defineTask({ name: 'work', run: (value: number) => value, globalConcurrency: 1 });
    const queue = createQueue({ broker });
    const worker = createWorker({ broker, tasks: [task], concurrency: 5, signals: [] });
    const errors: unknown[] = [];
    worker.on('error', ({ error }) => errors.push(error));
    await queue.submitMany(task, [...Array(50).keys()]);
    worker.start();
    await worker.whenIdle();
    const audit = await broker.audit();
    await worker.stop();
    await broker.close();
    await pool.end();
    await server.stop();

    expect(errors).toEqual([]);
    expect(audit).toMatchObject({ ended: { completed: 50 }, unbalanced: 0 });
  });
});

describeTwoConnections('a transaction whose snapshot is older than the end of a run', (open) => {
  it.each(['repeatable read', 'serializable'])('creates no other one of its key: %s', async (level) => {
    const { pool, schema, tx } = open();
    await tx.query(`rollback; begin isolation level ${level}; select from ${schema.name}.run`);
    const broker = createPostgresBroker({
      ...{ client: pool, schema: schema.name, listen: false },
      keepCompleted: { count: 0 },
    });
    const submissions = [{ id: 'k', lane: 'l', payload: '{}', keyed: true }];
    await broker.submit(submissions);
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };
    const { claimed, now } = await broker.exchange({ claim });
    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now })),
    });
    const forgotten = await broker.get(['k']);

    const submitting = broker.within(tx).submit(submissions);

    await expect(submitting).rejects.toMatchObject({ code: '40001' });
    expect(forgotten).toEqual([undefined]);
    await tx.query('rollback');
  });

  it('creates one of a key that no run has had, and leaves nothing behind', async () => {
    const { pool, schema, tx, broker } = open();
    await tx.query('rollback; begin isolation level repeatable read');

    const answers = await broker
      .within(tx)
      .submit(['a', 'b'].map((id) => ({ id, lane: 'l', payload: '{}', keyed: id === 'a' })));
    await tx.query('commit');

    expect(answers).toEqual(['created', 'created']);
    expect((await pool.query(`select from ${schema.name}.kept_key`)).rowCount).toBe(0);
  });
});

import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openPool } from './open-broker.ts';

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

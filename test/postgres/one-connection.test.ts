import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresBroker } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { expect, it } from 'vitest';
import { brokerOnOneConnection } from '../../docs/recipes/one-connection.ts';
import { passTime } from '../support/pass-time.ts';
import { root } from '../support/repository.ts';
import { describeTwoConnections } from './two-connections.ts';

const read = (path: string): string => readFileSync(join(root, 'docs', path), 'utf8');

describeTwoConnections('a client that a pool lends to a broker', (open) => {
  it('is used as docs/postgres.md says', () => {
    expect(read('postgres.md')).toContain(`\`\`\`ts\n${read('recipes/one-connection.ts')}\`\`\``);
  });

  it('is the only one of a pool, and answers calls while a worker is idle', async () => {
    const { url, schema } = open();
    const client = new pg.Pool({ connectionString: url, max: 1 });
    const broker = createPostgresBroker({ client, schema: schema.name });
    const queue = createQueue({ broker });
    const task = defineTask({ name: 'task', run: async (given: number) => given + 1 });
    const worker = createWorker({ broker, tasks: [task], signals: [] });
    worker.start();
    await queue.submitAndWait(task, 1);
    await passTime(300); // idle

    const result = await queue.submitAndWait(task, 2);
    await worker.stop();
    await broker.close();
    await client.end();

    expect(result).toBe(3);
  });

  it('is released when its connection ends, and ends no process', async () => {
    const { pool, tx } = open();
    const lost: Error[] = [];
    const { broker, close } = await brokerOnOneConnection(
      pool,
      (error) => lost.push(error),
      open().schema.name,
    );
    await broker.audit();
    const before = pool.totalCount;

    await tx.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and application_name = ''
        and backend_type = 'client backend' and state = 'idle'`,
    );
    while (lost.length === 0) await passTime(5);
    await close();

    expect(lost).toHaveLength(1);
    expect(pool.totalCount).toBeLessThan(before);
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('is released unchanged when the broker is closed', async () => {
    const { pool, schema } = open();
    const lost: Error[] = [];
    const listeners = async (): Promise<number> => {
      const client = await pool.connect(); // the one that was released last
      client.release();
      return client.listenerCount('error');
    };
    const listenersBefore = await listeners();
    const { close } = await brokerOnOneConnection(pool, (error) => lost.push(error), schema.name);
    const before = pool.idleCount;

    await close();

    expect({ lost, idle: pool.idleCount }).toEqual({ lost: [], idle: before + 1 });
    expect(await listeners()).toBe(listenersBefore);
  });
});

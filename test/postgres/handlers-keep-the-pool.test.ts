import { createPostgresBroker } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { expect, it } from 'vitest';
import { describeTwoConnections } from './two-connections.ts';

const LEASE_MS = 1_500;

/** Nearly three leases, as 8 s are of 3 s. */
const QUERY_S = 4;

describeTwoConnections('handlers that keep all connections of the pool for longer than a lease', (open) => {
  const openWorker = (starts: string[], leaseRenewal: 'thread' | 'loop') => {
    const pool = new pg.Pool({ connectionString: open().url, max: 3 });
    const broker = createPostgresBroker({ client: pool, schema: open().schema.name });
    const query = defineTask({
      name: 'query',
      run: async (name: string) => {
        starts.push(name);
        await pool.query('select pg_sleep($1)', [QUERY_S]);
      },
    });
    const worker = createWorker({ broker, tasks: [query], concurrency: 3, lease: LEASE_MS, leaseRenewal });
    const end = async (): Promise<void> => {
      await worker.stop();
      await broker.close();
      await pool.end();
    };
    return { query, queue: createQueue({ broker }), worker, end };
  };

  it.each(['thread', 'loop'] as const)(
    'execute each run once beside a second worker, where a %s renews leases',
    async (by) => {
      const starts: string[] = [];
      const [busy, other] = [openWorker(starts, by), openWorker(starts, by)];
      const names = ['a', 'b', 'c'];
      const ids = (await busy.queue.submitMany(busy.query, names)).map(({ id }) => id);

      busy.worker.start();
      while (starts.length < names.length) await new Promise((resolve) => setTimeout(resolve, 10));
      other.worker.start();
      await Promise.all(ids.map((id) => other.queue.waitForResult(id, { timeout: '40s' })));
      const runs = await Promise.all(ids.map((id) => other.queue.get(id)));
      await Promise.all([busy.end(), other.end()]);

      expect([...starts].sort()).toEqual(names);
      expect(runs.map((run) => [run?.state, run?.stalls])).toEqual(names.map(() => ['completed', 0]));
    },
  );
});

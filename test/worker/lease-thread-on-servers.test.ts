import { randomUUID } from 'node:crypto';
import { setTimeout as rest } from 'node:timers/promises';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import type { TaskContext, Worker, WorkerOptions } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { hearWarnings } from '../support/hear-warnings.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';

const LEASE_MS = 1_500;
const RUNS = 1_000;

interface Place {
  /** Opened by a url. */
  readonly broker: Broker;
  /** Over a client of the user's. */
  readonly overClient: Broker;
  readonly close: () => Promise<void>;
}

const workers: Worker[] = [];

function work(broker: Broker, run: (ctx: TaskContext) => unknown, options: Partial<WorkerOptions> = {}) {
  const task = defineTask({ name: 'blocking', run: async (_: null, ctx) => void (await run(ctx)) });
  const worker = createWorker({ broker, tasks: [task], lease: LEASE_MS, signals: [], ...options });
  workers.push(worker);
  worker.on('error', () => {});
  worker.start();
  return { worker, task };
}

/** Lets the thread connect, then blocks the event loop for three leases. */
async function block(): Promise<void> {
  await rest(LEASE_MS);
  const until = performance.now() + 3 * LEASE_MS;
  while (performance.now() < until);
}

/** Starts as many runs, blocks the event loop for three leases, and returns how many leases have expired then. */
async function expiredAfterBlock(broker: Broker, asked: Broker, runs: number): Promise<number> {
  await asked.findExpired(1); // it is connected from here on
  let started = 0;
  let finish = (_: number): void => {};
  const expired = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const run = async (): Promise<void> => {
    started += 1;
    if (started === runs) {
      await block();
      // Asked before the loop sends its heartbeats, which comes with its next turn.
      finish((await asked.findExpired(runs)).length);
    }
    await expired;
  };
  const { task } = work(broker, run, { concurrency: runs, cleanerInterval: '1h' });
  await createQueue({ broker }).submitMany(task, Array(runs).fill(null));
  return expired;
}

function describeThread(open: () => Promise<Place>): void {
  let place: Place;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await place.close();
  });

  it('keeps 1 000 leases during a block', async () => {
    const { broker, overClient } = place;

    expect(await expiredAfterBlock(broker, overClient, RUNS)).toBe(0);
    await expect.poll(() => broker.audit(), { timeout: 10_000 }).toMatchObject({ started: 0, submitted: 0 });
  });

  it('leaves leases to the loop over a client of the user', () => {
    hearWarnings(); // another test has what it says
    const { worker } = work(place.overClient, () => {});

    expect(worker.leaseRenewal).toBe('loop');
  });
}

// In this order: there is one warning a minute in a process.
describe('the thread that renews leases', { shuffle: false }, () => {
  describeOnRedis('on Redis', (server) => {
    const open = async (): Promise<Place> => {
      const { url } = server();
      const prefix = `thread-${randomUUID()}`;
      const client = await createClient({ url }).connect();
      const broker = createRedisBroker({ url, prefix });
      const close = async (): Promise<void> => {
        await broker.close();
        client.destroy();
        await removeKeys(url, prefix);
      };
      return { broker, overClient: createRedisBroker({ client, prefix }), close };
    };

    it('warns once a process over a client of the user', async () => {
      const warnings = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
      const { overClient, close } = await open();

      for (let count = 0; count < 3; count += 1) work(overClient, () => {});

      expect(warnings.mock.calls).toMatchObject([
        [expect.stringContaining('not opened by a url'), { code: 'RETRY_LEASES_ON_LOOP' }],
      ]);
      warnings.mockRestore();
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
      await close();
    });

    describeThread(open);
  });

  describeOnPostgres('on Postgres', (server) => {
    interface OnPostgres extends Place {
      readonly overPool: Broker;
      readonly pool: ReturnType<typeof openPool>;
    }
    const open = async (): Promise<OnPostgres> => {
      const { url } = server();
      const pool = openPool(url, 8);
      const client = await pool.connect();
      const schema = await createTestSchema(pool);
      const at = { schema: schema.name };
      const broker = createPostgresBroker({ url, ...at });
      const overClient = createPostgresBroker({ client, ...at });
      const overPool = createPostgresBroker({ client: pool, ...at });
      const close = async (): Promise<void> => {
        for (const opened of [broker, overClient, overPool]) await opened.close();
        client.release();
        await schema.drop();
        await pool.end();
      };
      return { broker, overClient, overPool, pool, close };
    };
    describeThread(open);

    it.each([
      ['returns', 0],
      ['goes on', 2 * LEASE_MS],
    ])(
      'takes no run for lost that its handler has committed before it blocked, and %s after it',
      async (_, moreMs) => {
        const { broker, pool, close } = await open();
        const run = async ({ complete }: TaskContext): Promise<void> => {
          const client = await pool.connect();
          await client.query('begin');
          await complete({ tx: client, result: 'paid' });
          await client.query('commit');
          client.release();
          await block();
          await rest(moreMs);
        };
        const { worker, task } = work(broker, run);
        const seen: string[] = [];
        for (const type of ['completed', 'fenced', 'stalled', 'failed', 'retried', 'error'] as const)
          worker.on(type, () => void seen.push(type));
        const queue = createQueue({ broker });

        const { id } = await queue.submit(task, null);

        await expect.poll(() => seen.length, { timeout: 20_000 }).toBeGreaterThan(0);
        await worker.stop();
        expect(worker.leaseRenewal).toBe('thread');
        expect(seen).toEqual(['completed']);
        expect(await queue.result(id)).toMatchObject({ state: 'completed', result: 'paid' });
        await close();
      },
    );

    it('renews leases over a pool that has only a connection string', async () => {
      const { overPool, overClient, close } = await open();

      expect(await expiredAfterBlock(overPool, overClient, 10)).toBe(0);
      expect(workers[0]?.leaseRenewal).toBe('thread');
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
      await close();
    });
  });
});

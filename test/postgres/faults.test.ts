import { createPostgresBroker, migrate } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openPool } from './open-broker.ts';

const RUNS = 3_000;

describeOnPrivatePostgres('faults of the server', () => {
  let server: PrivatePostgres;
  let pool: pg.Pool;
  beforeEach(async () => {
    server = await startPrivatePostgres();
    pool = openPool(server.url);
    await migrate(pool);
  });
  afterEach(async () => {
    await pool.end();
    await server.stop();
  });

  /** Runs a backlog while something happens to the server. Returns how often each run was completed. */
  const workThrough = async (disturb: () => Promise<void>) => {
    const broker = createPostgresBroker({
      ...{ url: server.url, keepCompleted: { count: Infinity } },
      onError: () => {}, // its connections end
    });
    const queue = createQueue({ broker });
    const completed = new Map<string, number>();
    const task = defineTask({ name: 'work', retry: { maxAttempts: 50 }, run: () => passTime(2) });
    const worker = createWorker({ broker, tasks: [task], concurrency: 20, lease: '3s', signals: [] });
    worker.on('completed', ({ id }) => completed.set(id, (completed.get(id) ?? 0) + 1));
    worker.on('error', () => {});
    await queue.submitMany(
      task,
      Array.from({ length: RUNS }, () => null),
    );
    worker.start();
    await disturb();
    while ((await queue.counts().catch(() => undefined))?.ended.completed !== RUNS) await passTime(50);
    await worker.stop();
    const audit = await broker.audit();
    await broker.close();
    return { audit, completions: [...completed.values()] };
  };

  it.each([
    [
      'all of its connections are ended, five times',
      async () => {
        for (let time = 0; time < 5; time += 1) {
          await passTime(100);
          const others = 'pid <> pg_backend_pid() and backend_type = $1';
          await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`, [
            'client backend',
          ]);
        }
      },
    ],
    ['it is restarted', () => server.restart('fast')],
    ['it crashes', () => server.restart('immediate')],
  ] as const)('lose nothing when %s', async (_name, disturb) => {
    const { audit, completions } = await workThrough(async () => {
      await passTime(200);
      await disturb();
    });

    expect(audit).toMatchObject({ created: RUNS, unbalanced: 0, ended: { completed: RUNS } });
    expect(completions.every((count) => count === 1)).toBe(true);
  });

  it('sends a call again that failed because of another transaction', async () => {
    const strict = new pg.Pool({
      connectionString: server.url,
      max: 8,
      options: '-c default_transaction_isolation=serializable',
    });
    const refused: unknown[] = [];
    const client = {
      query: async (text: string, values?: unknown[]) => {
        try {
          return await strict.query(text, values);
        } catch (error) {
          refused.push(error instanceof Error && 'code' in error ? error.code : error);
          throw error;
        }
      },
    };
    const broker = createPostgresBroker({ client, listen: false });
    const start = () => broker.reserve([{ key: 'k', limit: 1_000, windowMs: 60_000, count: 1 }]);

    const answers: unknown[] = [];
    for (let round = 0; round < 40; round += 1)
      for (const [reserved] of await Promise.all([start(), start()])) answers.push(reserved?.granted);
    await strict.end();

    expect(refused).toContain('40001');
    expect(answers).toEqual(answers.map(() => 1));
  });

  it('names the isolation level that claims need', async () => {
    const strict = new pg.Client({
      connectionString: server.url,
      options: '-c default_transaction_isolation=serializable',
    });
    await strict.connect();
    const broker = createPostgresBroker({ client: strict, listen: false });
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };

    await expect(broker.exchange({ claim })).rejects.toThrow('needs the isolation level read committed');
    await strict.end();
  });
});

import type { PolicyInput } from '@retry/core';
import { type Job, Queue, Worker } from 'bullmq';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../../support/servers/describe-on-redis.ts';
import { expectWithin, exported, type Recorded } from './exported-policies.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;
const NO_LIMIT = { maxDelay: 'Infinity' } as const;

describeOnRedis('BullMQ delays a job as an exported policy says', (server) => {
  let queue: Queue;
  let worker: Worker;
  beforeAll(() => {
    const { hostname, port } = new URL(server().url);
    const connection = { host: hostname, port: Number(port), maxRetriesPerRequest: null };
    queue = new Queue('exported', { connection });
    worker = new Worker('exported', null, { connection, autorun: false });
  });
  afterAll(async () => {
    await worker.close();
    await queue.close();
  });

  async function nextJob(): Promise<Job> {
    const job = await worker.getNextJob('token', { block: false });
    if (job === undefined) throw new Error('the job is not in its queue');
    return job;
  }

  /** Returns the delays of a job that always fails; none of them is waited for. */
  async function record(options: object): Promise<Recorded> {
    const delays: number[] = [];
    await queue.add('job', {}, options);
    for (;;) {
      const job = await nextJob();
      await job.moveToFailed(new Error('down'), 'token');
      if (await job.isFailed()) return delays;
      const isDelayed = await job.isDelayed();
      delays.push(isDelayed ? job.delay : 0);
      if (isDelayed) await job.promote();
    }
  }

  it.each<PolicyInput>([
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none', ...NO_LIMIT },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'full', ...NO_LIMIT },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'equal', ...NO_LIMIT },
    { maxAttempts: 8, backoff: { ...EXPONENTIAL, base: 150 }, jitter: { down: 0.1 }, ...NO_LIMIT },
    { maxAttempts: 4, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
    { maxAttempts: 4, backoff: { type: 'constant', base: '1m' }, jitter: 'full', ...NO_LIMIT },
    { maxAttempts: 3, backoff: { type: 'none' } },
    { maxAttempts: 1 },
    { maxAttempts: 2, backoff: { type: 'constant', base: '1d' }, jitter: { down: 0.25 }, ...NO_LIMIT },
    { maxAttempts: 12, backoff: { ...EXPONENTIAL, base: '5s' }, jitter: 'none', ...NO_LIMIT },
  ])('%j', async (input) => {
    const { policy, options } = exported('bullmq', input);

    expectWithin(policy, await record(options), { belowMs: 1, aboveMs: 1 });
  });
});

describeOnPostgres('pg-boss delays a job as an exported policy says', (server) => {
  let boss: PgBoss;
  let pool: pg.Pool;
  beforeAll(async () => {
    pool = new pg.Pool({ connectionString: server().url });
    boss = new PgBoss({
      connectionString: server().url,
      schema: 'exported',
      supervise: false,
      schedule: false,
    });
    await boss.start();
    await boss.createQueue('exported');
  });
  afterAll(async () => {
    await boss.stop({ graceful: false });
    await pool.query('drop schema if exists exported cascade');
    await pool.end();
  });

  /** Returns the delays of a job that always fails, by the clock of the server; none of them is waited for. */
  async function record(options: object): Promise<Recorded> {
    const delays: number[] = [];
    const id = await boss.send('exported', {}, options);
    for (;;) {
      const [job] = await boss.fetch('exported');
      expect(job?.id).toBe(id);
      await boss.fail('exported', String(id));
      const { rows } = await pool.query(
        'select state, extract(epoch from start_after - now()) * 1000 as ms from exported.job where id = $1',
        [id],
      );
      if (rows[0].state === 'failed') return delays;
      delays.push(Number(rows[0].ms));
      await pool.query('update exported.job set start_after = now() where id = $1', [id]);
    }
  }

  it.each<PolicyInput>([
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'bounded', ...NO_LIMIT },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'bounded', capAt: 'after-jitter', maxDelay: '10s' },
    {
      maxAttempts: 8,
      backoff: { ...EXPONENTIAL, base: '3s' },
      jitter: 'bounded',
      capAt: 'after-jitter',
      maxDelay: '1m',
    },
    { maxAttempts: 4, backoff: { type: 'constant', base: '1m' }, jitter: 'none' },
    { maxAttempts: 3, backoff: { type: 'none' } },
    { maxAttempts: 1 },
    { maxAttempts: 2, backoff: { type: 'constant', base: '1h' }, jitter: 'none', ...NO_LIMIT },
    { maxAttempts: 12, backoff: { ...EXPONENTIAL, base: '5s' }, jitter: 'bounded', ...NO_LIMIT },
    { maxAttempts: 6, backoff: { type: 'constant', base: '2s' }, jitter: 'none' },
    { maxAttempts: 20, backoff: EXPONENTIAL, jitter: 'bounded', capAt: 'after-jitter', maxDelay: '30s' },
  ])('%j', async (input) => {
    const { policy, options } = exported('pg-boss', input);

    // The clock goes on between the failure and the statement that reads what is left.
    expectWithin(policy, await record(options), { belowMs: 1_000, aboveMs: 1 });
  });
});

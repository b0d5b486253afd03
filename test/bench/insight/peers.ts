import { Queue } from 'bullmq';
import { PgBoss } from 'pg-boss';
import type { Figure } from './figures.ts';
import type { Sizes } from './fill.ts';

/** A queue of others, filled, and how its users get figures of it. */
export interface Peer {
  readonly figures: readonly Figure[];
  readonly close: () => Promise<unknown>;
}

const BATCH = 1_000;
const NAME = 'bench';
const HOUR_MS = 3_600_000;
const STATES = ['wait', 'active', 'delayed', 'prioritized', 'completed', 'failed'] as const;

/** BullMQ with the calls that bull-board makes: counts, a page of a state, and the delayed jobs of a timeline one by one. */
export async function openBullmq(url: string, { waiting, scheduled }: Sizes): Promise<Peer> {
  const connection = { host: '127.0.0.1', port: Number(new URL(url).port), maxRetriesPerRequest: null };
  const queue = new Queue(NAME, { connection });
  queue.on('error', () => {});
  await inBatches(waiting, (length) =>
    queue.addBulk(Array.from({ length }, () => ({ name: 'job', data: { n: 1 } }))),
  );
  await inBatches(scheduled, (length, from) =>
    queue.addBulk(
      Array.from({ length }, (_, index) => ({
        ...{ name: 'job', data: { n: 1 } },
        opts: { delay: HOUR_MS + ((from + index) * HOUR_MS) / scheduled },
      })),
    ),
  );
  return {
    figures: [
      { name: 'BullMQ getJobCounts (one queue)', take: () => queue.getJobCounts(...STATES) },
      { name: 'BullMQ getWorkers', take: () => queue.getWorkers() },
      { name: 'BullMQ getJobs: 100 waiting', take: () => queue.getJobs(['wait'], 0, 99, true) },
      {
        name: 'BullMQ getDelayed: all, for a timeline',
        take: () => queue.getDelayed(0, -1),
      },
    ],
    close: () => queue.close(),
  };
}

/** pg-boss with its own statistics, which count the jobs of a queue. */
export async function openPgBoss(url: string, { waiting, scheduled }: Sizes): Promise<Peer> {
  const boss = new PgBoss({ connectionString: url, schema: 'boss', supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(NAME);
  await inBatches(waiting, (length) =>
    boss.insert(
      NAME,
      Array.from({ length }, () => ({ data: { n: 1 } })),
    ),
  );
  await inBatches(scheduled, (length, from) =>
    boss.insert(
      NAME,
      Array.from({ length }, (_, index) => ({
        data: { n: 1 },
        startAfter: new Date(Date.now() + HOUR_MS + ((from + index) * HOUR_MS) / scheduled),
      })),
    ),
  );
  const select = (sql: string) => boss.getDb().executeSql(sql, []);
  return {
    figures: [
      {
        name: 'pg-boss getQueueStats (one queue)',
        take: () => boss.getQueueStats(NAME),
        note: () => 'as counted up to an hour ago',
      },
      {
        name: 'pg-boss: select state, count(*)',
        take: () => select('select state, count(*) from boss.job group by state'),
      },
      {
        name: 'pg-boss: jobs by minute of start_after',
        take: () =>
          select(`select date_trunc('minute', start_after), count(*) from boss.job
            where state < 'active' and start_after > now() group by 1`),
      },
    ],
    close: () => boss.stop({ graceful: false, close: true }),
  };
}

async function inBatches(
  count: number,
  send: (length: number, from: number) => Promise<unknown>,
): Promise<void> {
  for (let from = 0; from < count; from += BATCH) await send(Math.min(BATCH, count - from), from);
}

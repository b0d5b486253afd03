import type { Job } from 'pg-boss';
import { PgBoss } from 'pg-boss';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';

const NAME = 'bench';

/** How jobs are taken: by `fetch` in batches or one by one, or by `work`, which notifications wake. */
type Way = 'batches' | 'one by one' | 'notified';

const BATCH = 1_000;
const BATCH_LOOPS = 2;

/**
 * pg-boss on Postgres. By defaults its `work` takes one job every two seconds, and in batches at least half a second passes
 * after each that is not full; so what is measured of a backlog is `fetch`, `complete` and `fail`, which it offers instead.
 */
export function pgBoss(way: Way): Contender {
  return { open: (place) => openBoss(place, way) };
}

async function openBoss({ url, name: schema }: Place, way: Way): Promise<Bench> {
  const notify = way === 'notified';
  const boss = new PgBoss({ connectionString: url, schema, useListenNotify: notify });
  boss.on('error', () => {});
  boss.on('warning', () => {});
  await boss.start();
  await boss.createQueue(NAME, { retryLimit: 2, retryDelay: 0, notify });
  const select = async (sql: string): Promise<Record<string, number>> => {
    const { rows } = await boss.getDb().executeSql(sql, []);
    return Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  };
  return {
    submit: (payload) => boss.send(NAME, payload),
    submitBulk: (payloads, { dueAt } = {}) => {
      const startAfter = dueAt === undefined ? {} : { startAfter: new Date(dueAt) };
      return boss.insert(
        NAME,
        payloads.map((data) => ({ data, ...startAfter })),
      );
    },
    work: (work) => (way === 'notified' ? workNotified(boss, work) : fetchInLoops(boss, work, way)),
    count: async () => {
      const states = await select(`select state, count(*) from ${schema}.job group by state`);
      const { created = 0, retry = 0, active = 0, completed = 0 } = states;
      return { left: created + retry + active, completed };
    },
    list: async ({ limit }) => {
      const page = `select * from ${schema}.job where state = 'created' order by created_on limit ${limit}`;
      return (await boss.getDb().executeSql(page, [])).rows.length;
    },
    close: () => boss.stop({ graceful: false, close: true }),
  };
}

/** A short polling interval beside the notifications, as one that finds the worker busy is not repeated. */
async function workNotified(boss: PgBoss, { handle, onDone }: Work): Promise<() => Promise<unknown>> {
  const options = { batchSize: 10, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };
  await boss.work<Payload>(NAME, options, async (jobs) => {
    for (const { data } of jobs) {
      await handle(data);
      onDone();
    }
  });
  return () => boss.offWork(NAME);
}

async function fetchInLoops(boss: PgBoss, work: Work, way: Way): Promise<() => Promise<unknown>> {
  let isStopping = false;
  const inBatches = way === 'batches';
  const count = inBatches ? Math.min(BATCH_LOOPS, work.concurrency) : work.concurrency;
  const concurrency = Math.ceil(work.concurrency / count);
  const loop = async (): Promise<void> => {
    while (!isStopping) {
      const jobs = await boss.fetch<Payload>(NAME, inBatches ? { batchSize: BATCH } : {});
      if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      else await settle(boss, jobs, { ...work, concurrency });
    }
  };
  const loops = Array.from({ length: count }, loop);
  return async () => {
    isStopping = true;
    await Promise.all(loops);
  };
}

/** Handles `concurrency` of the jobs at a time, then sends how they ended. */
async function settle(boss: PgBoss, jobs: readonly Job<Payload>[], work: Work): Promise<void> {
  const [good, bad, waiting]: [string[], string[], Job<Payload>[]] = [[], [], [...jobs].reverse()];
  let error: object | undefined;
  const handleNext = async (): Promise<void> => {
    for (let job = waiting.pop(); job !== undefined; job = waiting.pop()) {
      const ended = await work.handle(job.data).then(
        () => good,
        ({ name, message }: Error) => {
          error = { name, message };
          return bad;
        },
      );
      ended.push(job.id);
    }
  };
  await Promise.all(Array.from({ length: work.concurrency }, handleNext));
  if (good.length > 0) await boss.complete(NAME, good);
  // The error of a failed attempt is stored, as by every other library; its own `work` stores one for a batch as well. Without its
  // stack, which we do not keep either when a retry follows.
  if (bad.length > 0) await boss.fail(NAME, bad, error);
  for (const _ of good) work.onDone();
}

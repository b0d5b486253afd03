import { PgBoss } from 'pg-boss';
import type { Bench, Contender, Work } from './contender.ts';

const SCHEMA = 'bench_boss';
const NAME = 'bench';
const BATCH = 200;
const LOOPS = 4;

/** pg-boss at its fastest: `fetch` and `complete` of 200 at a time, by four loops, which its `work` does not reach. */
export function pgBoss(url: string): Contender {
  return { name: 'pg-boss', open: () => openBoss(url) };
}

async function openBoss(url: string): Promise<Bench> {
  const options = { connectionString: url, schema: SCHEMA, supervise: false, schedule: false, max: 10 };
  const boss = new PgBoss(options);
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue(NAME, { retryLimit: 2, retryDelay: 0 });
  return {
    submit: (payload, given) =>
      boss.send(
        NAME,
        { payload },
        given === undefined ? {} : { startAfter: new Date(Date.now() + given.delayMs) },
      ),
    submitBulk: (payloads) =>
      boss.insert(
        NAME,
        payloads.map((payload) => ({ data: { payload } })),
      ),
    work: async (work) => startLoops(boss, work),
    close: async () => {
      await boss.stop({ graceful: false, close: true });
    },
  };
}

function startLoops(boss: PgBoss, work: Work): () => Promise<unknown> {
  let isStopping = false;
  const loop = async (): Promise<void> => {
    while (!isStopping)
      if (!(await takeBatch(boss, work))) await new Promise((resolve) => setTimeout(resolve, 2));
  };
  const loops = Array.from({ length: work.onStart === undefined ? LOOPS : 1 }, loop);
  return async () => {
    isStopping = true;
    await Promise.all(loops);
  };
}

async function takeBatch(
  boss: PgBoss,
  { failures = 0, onStart, onDone, concurrency }: Work,
): Promise<boolean> {
  const batchSize = concurrency > 1 ? BATCH : 1;
  const jobs = await boss.fetch<{ payload: number }>(NAME, { batchSize, includeMetadata: true });
  const good: string[] = [];
  const bad: string[] = [];
  for (const { id, data, retryCount } of jobs) {
    onStart?.(data.payload);
    (retryCount < failures ? bad : good).push(id);
  }
  if (good.length > 0) await boss.complete(NAME, good);
  if (bad.length > 0) await boss.fail(NAME, bad);
  for (const _ of good) onDone();
  return jobs.length > 0;
}

import type { Runner, TaskList } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';
import { taskName } from './contender.ts';

/**
 * Its backoff cannot be chosen: without this, a second attempt waits for seconds. The trigger brings it forward to now. It
 * exists only where runs fail.
 */
const retryAtOnce = (schema: string): string => `
create or replace function ${schema}.retry_at_once() returns trigger language plpgsql as $$
begin
  new.run_at := now();
  return new;
end $$;
create or replace trigger retry_at_once before update on ${schema}._private_jobs
for each row when (new.last_error is distinct from old.last_error or (old.locked_at is not null and new.locked_at is null))
execute function ${schema}.retry_at_once();
`;

/** With its default of 2 s, the time between two polls would be all that is measured where runs fail. */
const POLL_MS = 100;

/** The size of the local queue and batches, as its page on performance recommends; without a size, its defaults. */
interface Settings {
  readonly localQueue?: number;
}

/** graphile-worker on Postgres. */
export function graphileWorker(settings: Settings = {}): Contender {
  return { open: (place) => openGraphile(place, settings) };
}

async function openGraphile({ url, name: schema }: Place, settings: Settings): Promise<Bench> {
  const pool = new pg.Pool({ connectionString: url });
  // It wants a handler for both, and says so.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool: pool, schema, logger });
  await utils.migrate();
  return {
    submit: (payload) => utils.addJob(taskName(0), payload),
    submitBulk: async (payloads, { dueAt, task = 0, failures = 0 } = {}) => {
      if (failures > 0) await pool.query(retryAtOnce(schema));
      const identifier = taskName(task);
      const runAt = dueAt === undefined ? {} : { runAt: new Date(dueAt) };
      await utils.addJobs(payloads.map((payload) => ({ identifier, payload, ...runAt })));
    },
    work: async (work) => {
      const runner = await startRunner({ url, schema, logger, settings }, work);
      return () => runner.stop();
    },
    count: async () => ({ left: await count(pool, `select count(*) from ${schema}._private_jobs`) }),
    isSettled: async () =>
      (await count(pool, `select count(*) from (select from ${schema}._private_jobs limit 1) one`)) === 0,
    list: async ({ limit }) =>
      (await pool.query(`select * from ${schema}.jobs order by id limit ${limit}`)).rows.length,
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
}

async function count(pool: pg.Pool, sql: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(sql);
  return Number(rows[0]?.count);
}

function startRunner(
  { url, schema, logger, settings }: { url: string; schema: string; logger: Logger; settings: Settings },
  { concurrency, tasks, handle, onDone }: Work,
): Promise<Runner> {
  const task = async (payload: unknown): Promise<void> => {
    await handle(payload as Payload); // as it was submitted
    onDone();
  };
  const taskList: TaskList = Object.fromEntries(Array.from({ length: tasks }, (_, n) => [taskName(n), task]));
  const { localQueue } = settings;
  const batches =
    localQueue === undefined
      ? {}
      : {
          localQueue: { size: localQueue },
          ...{ completeJobBatchDelay: 0, failJobBatchDelay: 0, maxPoolSize: 25, pollInterval: POLL_MS },
        };
  return run({
    logger,
    taskList,
    noHandleSignals: true,
    preset: { worker: { connectionString: url, schema, concurrentJobs: concurrency, ...batches } },
  });
}

import type { Runner } from 'graphile-worker';
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';
import type { Bench, Contender, Work } from './contender.ts';

const SCHEMA = 'graphile_worker';

/**
 * Its backoff cannot be chosen: without this, a second attempt waits for seconds. The trigger brings it forward to
 * now, which costs a fraction of what the update itself does.
 */
const RETRY_AT_ONCE = `
create function ${SCHEMA}.retry_at_once() returns trigger language plpgsql as $$
begin
  new.run_at := now();
  return new;
end $$;
create trigger retry_at_once before update on ${SCHEMA}._private_jobs
for each row when (new.last_error is distinct from old.last_error or (old.locked_at is not null and new.locked_at is null))
execute function ${SCHEMA}.retry_at_once();
`;

/** How failures are written: in batches, which is an option, or each by its own statement. */
type Failures = 'batched' | 'one by one';

/** graphile-worker in its batch mode: a local queue of 500, completions batched, failures optionally. */
export function graphileWorker(url: string, failures: Failures = 'batched'): Contender {
  const name = failures === 'batched' ? 'graphile-worker' : 'graphile-worker, failures one by one';
  return { name, open: () => openGraphile(url, failures) };
}

async function openGraphile(url: string, failures: Failures): Promise<Bench> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on('error', () => {});
  await pool.query(`drop schema if exists ${SCHEMA} cascade`);
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  await pool.query(RETRY_AT_ONCE);
  return {
    submit: (payload, options) =>
      utils.addJob('bench', { payload }, options && { runAt: new Date(Date.now() + options.delayMs) }),
    submitBulk: (payloads) =>
      utils.addJobs(payloads.map((payload) => ({ identifier: 'bench', payload: { payload } }))),
    work: async (work) => {
      const runner = await startRunner(pool, logger, { ...work, leave: failures });
      return () => runner.stop();
    },
    close: async () => {
      await utils.release();
      await pool.query(`drop schema ${SCHEMA} cascade`);
      await pool.end();
    },
  };
}

function startRunner(
  pgPool: pg.Pool,
  logger: Logger,
  work: Work & { readonly leave: Failures },
): Promise<Runner> {
  const { concurrency, failures = 0, leave, onStart, onDone } = work;
  return run({
    pgPool,
    logger,
    noHandleSignals: true,
    taskList: {
      bench: async (body, { job }) => {
        onStart?.((body as { readonly payload: number }).payload); // as it was submitted
        if (job.attempts <= failures) throw new Error('not yet');
        onDone();
      },
    },
    preset: {
      worker: {
        concurrentJobs: concurrency,
        // Its fastest mode: everything in batches. An idle queue is polled at the highest rate that its authors recommend.
        ...(onStart === undefined && { localQueue: { size: 500 } }),
        pollInterval: onStart === undefined ? 100 : 10,
        completeJobBatchDelay: 0,
        ...(leave === 'batched' && { failJobBatchDelay: 0 }),
      },
    },
  });
}

/**
 * `npm run bench -- postgres`: our queue on Postgres beside graphile-worker and pg-boss, interleaved, on one private server
 * with the settings it comes with.
 */
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { endActors } from './harness/actors.ts';
import { costOfExchanges } from './harness/exchange-cost.ts';
import { openPostgresServer } from './harness/postgres-server.ts';
import type { Table } from './harness/tables.ts';
import { compare } from './harness/tables.ts';
import { readVersions } from './harness/versions.ts';
import { lookAtMany } from './harness/waiting-runs.ts';
import { processing, submitting, waiting } from './harness/workloads.ts';
import { ceiling } from './queues/postgres-ceiling.ts';
import { isFull, isWanted, printHeader, printMarkdown, short } from './report.ts';

const server = await openPostgresServer();
const ours = { defaults: 'retry on a pg.Pool', best: 'retry by url, prefetch 500' };
const byUrl = 'retry by url';
const graphile = 'graphile-worker';
const graphileBest = ['graphile-worker, localQueue 1000', 'graphile-worker, localQueue 5000'];
const bossBest = 'pg-boss, fetch 1000';
const defaults = [ours.defaults, byUrl, graphile, 'pg-boss, fetch 1'];
const best = [ours.best, ...graphileBest, bossBest];
/** Our defaults beside the best of the others. */
const few = [ours.defaults, 'graphile-worker, localQueue 1000', bossBest];
const single = [
  ours.defaults,
  graphile,
  'pg-boss, fetch 1',
  ours.best,
  'graphile-worker, localQueue 1000',
  bossBest,
];
const submitters = [ours.defaults, graphile, bossBest];
const strict = 'retry on a pg.Pool, prefetch 0';
const large = isFull ? 1_000_000 : 200_000;
const dueAtOnce = isFull ? 200_000 : 50_000;
const bare = {
  contender: 'bare',
  take: async (_: unknown, count: number) => {
    const ms = await ceiling(server.url, { of: 'runs', count, batch: 300 });
    return { value: (count / ms) * 1_000, ms };
  },
};
const oneName = { contender: ours.defaults, label: 'retry on a pg.Pool, 1 name' };

const tables: readonly Table[] = [
  {
    title: 'process, 100 at a time',
    unit: 'runs/s',
    entries: [...processing([...defaults, ...best], { concurrency: 100 }), bare],
  },
  {
    title: 'process, 10 at a time',
    unit: 'runs/s',
    entries: processing(single, {
      concurrency: 10,
    }),
  },
  {
    title: 'process, one at a time',
    unit: 'runs/s',
    entries: processing(single, {
      concurrency: 1,
    }),
  },
  {
    title: 'process, strictly one at a time (prefetch 0)',
    unit: 'runs/s',
    rounds: 3,
    entries: processing([{ contender: strict, label: ours.defaults }, graphile, 'pg-boss, fetch 1'], {
      concurrency: 1,
    }),
  },
  {
    title: 'process, handlers of 5 ms, 10 at a time',
    unit: 'runs/s',
    rounds: 3,
    entries: processing(few, { concurrency: 10, handlerMs: 5 }),
  },
  {
    title: 'process, payloads of 20 KB, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    most: 3_000,
    entries: processing(few, { concurrency: 100, bytes: 20_000 }),
  },
  {
    title: 'process, payloads of 200 KB, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    most: 300,
    entries: processing(few, { concurrency: 100, bytes: 200_000 }),
  },
  {
    title: 'process, each run fails twice, 100 at a time',
    unit: 'executions/s',
    rounds: 3,
    entries: processing([ours.defaults, graphile, 'graphile-worker, localQueue 1000', bossBest], {
      concurrency: 100,
      failures: 2,
    }),
  },
  { title: 'submit, one by one', unit: 'runs/s', rounds: 3, entries: submitting(submitters, { way: 1 }) },
  {
    title: 'submit, 100 in flight',
    unit: 'runs/s',
    rounds: 3,
    entries: submitting(submitters, { way: 100 }),
  },
  {
    title: 'submit, 1 000 in flight',
    unit: 'runs/s',
    rounds: 3,
    entries: submitting(submitters, { way: 1_000 }),
  },
  {
    title: 'submit, bulk calls of 1 000',
    unit: 'runs/s',
    rounds: 3,
    entries: submitting(submitters, { way: 'bulk' }),
  },
  ...([20_000, 200_000] as const).map((bytes) => ({
    title: `submit, payloads of ${bytes / 1_000} KB, 100 in flight`,
    unit: 'runs/s',
    rounds: 3,
    most: 30_000_000 / bytes,
    entries: submitting(submitters, { way: 100, bytes }),
  })),
  {
    title: 'process, 1 000 task names, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    entries: [
      ...processing([oneName], { concurrency: 100 }),
      ...processing([ours.defaults, 'graphile-worker, localQueue 1000'], { concurrency: 100, tasks: 1_000 }),
    ],
  },
  ...[2, 3].map((processes) => ({
    title: `process, ${processes} processes, 10 at a time each`,
    unit: 'runs/s',
    rounds: 3,
    entries: processing(few, { concurrency: 10, processes }),
  })),
  ...(['while', 'before'] as const).map((due) => ({
    title: `process, ${dueAtOnce / 1_000} 000 due at once${due === 'before' ? ', before the worker starts' : ''}, 100 at a time`,
    unit: 'runs/s',
    rounds: 1,
    count: dueAtOnce,
    entries: processing(few, { concurrency: 100, due }),
  })),
  {
    title: 'from submit to start in another process, p50 of 200 runs, one each 5 ms',
    unit: 'ms',
    rounds: 3,
    count: 200,
    entries: waiting([ours.defaults, graphile, 'pg-boss, notified']),
  },
];

printHeader('postgres', [server.version, ...readVersions(['graphile-worker', 'pg-boss', 'pg'])]);
for (const table of tables) await compare(server, ours, table);
await lookAtMany(server, submitters, large);
await printCosts();
endActors();
await server.stop();

/** The processor time of the server, which a system with a /proc tells. */
async function printCosts(): Promise<void> {
  const title = 'processor time of the server for a call, retry';
  if (!isWanted(title)) return;
  await server.clear();
  const pool = new pg.Pool({ connectionString: server.url });
  await migrate(pool);
  const broker = createPostgresBroker({ client: pool });
  const meter = async (calls: number, call: () => Promise<unknown>): Promise<number> => {
    const before = await server.read();
    for (let index = 0; index < calls; index += 1) await call();
    return (((await server.read()).cpuMs - before.cpuMs) * 1_000) / calls;
  };
  await costOfExchanges(broker, meter, 200); // warms up
  const costs = await costOfExchanges(broker, meter, 1_000);
  printMarkdown(
    title,
    ['', 'µs'],
    costs.map(([name, usec]) => [name, short(usec)]),
  );
  await broker.close();
  await pool.end();
}

/** `npm run bench -- redis`: our queue on Redis beside BullMQ and bee-queue, interleaved, on one private server. */
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { endActors } from './harness/actors.ts';
import { costOfExchanges } from './harness/exchange-cost.ts';
import { openRedisServer } from './harness/redis-server.ts';
import type { Table } from './harness/tables.ts';
import { compare } from './harness/tables.ts';
import { readVersions } from './harness/versions.ts';
import { lookAtMany } from './harness/waiting-runs.ts';
import { processing, submitting, waiting } from './harness/workloads.ts';
import { ceiling } from './queues/redis-ceiling.ts';
import { isFull, isWanted, printHeader, printMarkdown, short } from './report.ts';

const server = await openRedisServer();
const ours = { defaults: 'retry on Redis', best: 'retry on Redis, prefetch 500' };
const defaults = [ours.defaults, 'BullMQ', 'bee-queue'];
const best = [ours.best, 'BullMQ, best', 'bee-queue, best'];
const bare = {
  contender: 'bare',
  take: async (_: unknown, count: number) => {
    const ms = await ceiling(server.url, count);
    return { value: (count / ms) * 1_000, ms };
  },
};
const strict = 'retry on Redis, prefetch 0';
const large = isFull ? 1_000_000 : 200_000;
const dueAtOnce = isFull ? 200_000 : 50_000;
const oneName = { contender: ours.defaults, label: 'retry on Redis, 1 name' };

const tables: readonly Table[] = [
  {
    title: 'process, 100 at a time',
    unit: 'runs/s',
    entries: [...processing([...defaults, ...best], { concurrency: 100 }), bare],
  },
  {
    title: 'process, 10 at a time',
    unit: 'runs/s',
    entries: processing([...defaults, ...best], { concurrency: 10 }),
  },
  {
    title: 'process, one at a time',
    unit: 'runs/s',
    entries: processing([...defaults, ...best], { concurrency: 1 }),
  },
  {
    title: 'process, strictly one at a time (prefetch 0)',
    unit: 'runs/s',
    entries: processing([{ contender: strict, label: ours.defaults }, 'BullMQ', 'bee-queue'], {
      concurrency: 1,
    }),
  },
  {
    title: 'process, handlers of 5 ms, 10 at a time',
    unit: 'runs/s',
    rounds: 3,
    entries: processing(defaults, { concurrency: 10, handlerMs: 5 }),
  },
  {
    title: 'process, payloads of 20 KB, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    most: 5_000,
    entries: processing(defaults, { concurrency: 100, bytes: 20_000 }),
  },
  {
    title: 'process, payloads of 200 KB, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    most: 500,
    entries: processing(defaults, { concurrency: 100, bytes: 200_000 }),
  },
  {
    title: 'process, each run fails twice, 100 at a time',
    unit: 'executions/s',
    entries: processing(defaults, { concurrency: 100, failures: 2 }),
  },
  { title: 'submit, one by one', unit: 'runs/s', rounds: 3, entries: submitting(defaults, { way: 1 }) },
  { title: 'submit, 100 in flight', unit: 'runs/s', rounds: 3, entries: submitting(defaults, { way: 100 }) },
  {
    title: 'submit, 1 000 in flight',
    unit: 'runs/s',
    rounds: 3,
    entries: submitting(defaults, { way: 1_000 }),
  },
  {
    title: 'submit, bulk calls of 1 000',
    unit: 'runs/s',
    rounds: 3,
    entries: submitting(defaults, { way: 'bulk' }),
  },
  {
    title: 'submit, payloads of 20 KB, 100 in flight',
    unit: 'runs/s',
    rounds: 3,
    most: 5_000,
    entries: submitting(defaults, { way: 100, bytes: 20_000 }),
  },
  {
    title: 'submit, payloads of 200 KB, 100 in flight',
    unit: 'runs/s',
    rounds: 3,
    most: 500,
    entries: submitting(defaults, { way: 100, bytes: 200_000 }),
  },
  {
    title: 'process, 1 000 task names, 100 at a time',
    unit: 'runs/s',
    rounds: 3,
    entries: [
      ...processing([oneName], { concurrency: 100 }),
      ...processing([ours.defaults, 'BullMQ'], { concurrency: 100, tasks: 1_000 }),
    ],
  },
  ...[2, 3].map((processes) => ({
    title: `process, ${processes} processes, 10 at a time each`,
    unit: 'runs/s',
    rounds: 3,
    entries: processing(defaults, { concurrency: 10, processes }),
  })),
  {
    title: `process, ${dueAtOnce / 1_000} 000 due at once, 100 at a time`,
    unit: 'runs/s',
    rounds: 1,
    count: dueAtOnce,
    entries: processing(defaults, { concurrency: 100, due: 'while' }),
  },
  {
    title: 'from submit to start in another process, p50 of 200 runs, one each 5 ms',
    unit: 'ms',
    rounds: 3,
    count: 200,
    entries: waiting(defaults),
  },
];

printHeader('redis', [server.version, ...readVersions(['bullmq', 'bee-queue', 'redis'])]);
for (const table of tables) await compare(server, ours, table);
await lookAtMany(server, defaults, large);
await printCosts();
endActors();
await server.stop();

/** The time of the scripts by the server's own count. */
async function printCosts(): Promise<void> {
  const title = 'processor time of the server for a call, retry';
  if (!isWanted(title)) return;
  await server.clear();
  const observer = createClient({ url: server.url });
  await observer.connect();
  const broker = await createRedisBroker({ url: server.url, prefix: 'bench' });
  const meter = async (calls: number, call: () => Promise<unknown>): Promise<number> => {
    await observer.sendCommand(['CONFIG', 'RESETSTAT']);
    for (let index = 0; index < calls; index += 1) await call();
    const stats = await observer.info('commandstats');
    const spent = [...stats.matchAll(/cmdstat_(?:eval|evalsha|fcall):calls=\d+,usec=(\d+)/g)];
    return spent.reduce((sum, [, usec]) => sum + Number(usec), 0) / calls;
  };
  await costOfExchanges(broker, meter, 1_000); // warms up
  const costs = await costOfExchanges(broker, meter, 4_000);
  printMarkdown(
    title,
    ['', 'µs'],
    costs.map(([name, usec]) => [name, short(usec)]),
  );
  await broker.close();
  await observer.close();
}

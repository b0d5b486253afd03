/**
 * `npm run bench -- postgres`: our queue on Postgres beside graphile-worker, pg-boss and BullMQ, interleaved, on one
 * private server with synchronous_commit on.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { bullmqOnPostgres } from './queues/bullmq.ts';
import type { Rows } from './queues/compare-delays.ts';
import { compareDelays } from './queues/compare-delays.ts';
import type { Contender } from './queues/contender.ts';
import { graphileWorker } from './queues/graphile-worker.ts';
import { contendOnRetry } from './queues/on-retry.ts';
import { ownCeiling } from './queues/own-ceiling.ts';
import { pgBoss } from './queues/pg-boss.ts';
import { pinned } from './queues/pinned.ts';
import { ceiling } from './queues/postgres-ceiling.ts';
import type { ReadCpu } from './queues/scenarios.ts';
import { failTwice, submitInBulk, submitOneByOne, process as work } from './queues/scenarios.ts';
import { isWanted, printTable, roundsOr } from './report.ts';
import { inRounds } from './rounds.ts';

const server = await startPrivatePostgres([
  'shared_buffers=512MB',
  'max_wal_size=8GB',
  'max_connections=100',
]);
const admin = new pg.Pool({ connectionString: server.url, max: 2 });
const SCHEMA = 'bench_retry';

const ours = contendOnRetry('retry', async () => {
  await admin.query(`drop schema if exists ${SCHEMA} cascade`);
  await migrate(admin, { schema: SCHEMA });
  const broker = createPostgresBroker({ url: server.url, schema: SCHEMA });
  return { broker, close: () => broker.close() };
});
const bull = bullmqOnPostgres(server.url, 'bench_bull');
const contenders: readonly Contender[] = [ours, graphileWorker(server.url), pgBoss(server.url), bull];

/** BullMQ commits each run separately, so a tenth of the others' runs takes as long. */
const countOf = (contender: Contender, count: number): number => (contender === bull ? count / 10 : count);

/** Milliseconds of processor time, of this process and, where the system reports it, of the server. */
const readCpu: ReadCpu = async () => {
  const { user, system } = globalThis.process.cpuUsage();
  return (user + system) / 1_000 + serverCpuMs(server.pid());
};

/** Drops the contenders' data, and runs a checkpoint on the server. */
async function cleanUp(): Promise<void> {
  await admin.query('drop schema if exists bench_boss, bench_bull cascade');
  await admin.query('checkpoint');
}

/** One table; each row is taken once per round. */
async function compare(title: string, unit: string, rows: Rows): Promise<void> {
  if (!isWanted(title)) return;
  const take = async (index: number): Promise<number> => {
    await cleanUp();
    return (await rows[index]?.take()) ?? Number.NaN;
  };
  printTable(title, unit, await inRounds(rows, roundsOr(7), take));
}

const cpu = new Map<string, number[]>();
const processRow = (contender: Contender, count: number, concurrency: number) => ({
  name: contender.name,
  take: async () => {
    const result = await work(contender, { count, concurrency, readCpu });
    if (concurrency > 1) cpu.set(contender.name, [...(cpu.get(contender.name) ?? []), result.cpu]);
    return result.rate;
  },
});

await compare('process, concurrency 100', 'runs/s', [
  ...contenders.map((one) => processRow(one, countOf(one, 60_000), 100)),
  // The batch size of our worker: half of its 100 slots and its 500 prefetched runs.
  {
    name: 'our own statement, without queue and worker (ceiling)',
    take: async () => {
      const bench = await ours.open();
      for (let from = 0; from < 60_000; from += 1_000)
        await bench.submitBulk(Array.from({ length: 1_000 }, (_, index) => from + index));
      const rate = await ownCeiling(server.url, SCHEMA, { lane: 'bench@1', count: 60_000, batch: 300 });
      await bench.close();
      return rate;
    },
  },
  {
    name: 'bare statement, payloads and outcomes (ceiling)',
    take: () => ceiling(server.url, { of: 'runs', count: 60_000, batch: 300 }),
  },
  {
    name: 'bare statement, ids alone (ceiling)',
    take: () => ceiling(server.url, { of: 'ids', count: 60_000, batch: 300 }),
  },
]);
await compare(
  'cpu, client and server',
  's per 10 000 runs',
  [...cpu].map(([name, seconds]) => ({ name, take: async () => seconds.shift() ?? Number.NaN })),
);
await compare(
  'submit, one by one',
  'runs/s',
  contenders.map((one) => ({
    name: one.name,
    take: () => submitOneByOne(one, one === ours ? 20_000 : 2_000),
  })),
);
await compare(
  'bulk submit',
  'runs/s',
  contenders.map((one) => ({ name: one.name, take: () => submitInBulk(one, countOf(one, 40_000)) })),
);
await compare(
  'retries, fail twice then succeed',
  'executions/s',
  [...contenders, graphileWorker(server.url, 'one by one')].map((one) => ({
    name: one.name,
    take: () => failTwice(one, countOf(one, 12_000)),
  })),
);

if (isWanted('pinned')) {
  // Two hundred thousand runs would take BullMQ minutes.
  for (const contender of contenders.filter((one) => one !== bull)) {
    await cleanUp();
    const eighths = await pinned(contender, { url: server.url, count: 200_000 });
    const rate = 8 / eighths.reduce((sum, one) => sum + 1 / one, 0);
    const title = 'pinned snapshot, 200 000 runs';
    console.log(
      JSON.stringify({ title, unit: 'runs/s', name: contender.name, rate, eighths: eighths.map(Math.round) }),
    );
  }
}

await compareDelays(contenders, compare);

await admin.end();
await server.stop();

/** Processor time of the server and its living children, where there is a /proc. Ticks are hundredths of a second. */
function serverCpuMs(pid: number): number {
  const pids = listProcesses().filter((one) => one.pid === pid || one.parent === pid);
  return pids.reduce((sum, { ticks }) => sum + ticks * 10, 0);
}

function listProcesses(): readonly {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}[] {
  try {
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.flatMap((pid) => readProcess(pid));
  } catch {
    return [];
  }
}

function readProcess(pid: string): { pid: number; parent: number; ticks: number }[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
  } catch {
    return [];
  }
}

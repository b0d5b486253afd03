/**
 * `npm run bench -- storm`: how late new runs are while half of the runs fail three times, without and with a `retryShare`, on real servers.
 * A row is one storm: a producer that submits as much as half of the slots can do, and with the retries a quarter more than all of them can.
 */
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { openPostgresServer } from './harness/postgres-server.ts';
import { openRedisServer } from './harness/redis-server.ts';
import type { BenchServer } from './harness/server.ts';
import { printHeader, printMarkdown, roundsOr } from './report.ts';
import { median, quantile } from './rounds.ts';

const SLOTS = 20;
const HANDLER_MS = 50;
const PER_SECOND = 200;
const STORM_MS = 30_000;

/** Submissions of one tick are one batch: as many as come in 10 ms. */
const TICK_MS = 10;

/** How many of a hundred runs fail three times. */
const FAILING = 50;

interface Row {
  readonly name: string;
  readonly failing: number;
  readonly retryShare?: number;
}

const ROWS: readonly Row[] = [
  { name: 'quiet: no run fails', failing: 0 },
  { name: 'one line', failing: FAILING },
  { name: 'retryShare: 0.2', failing: FAILING, retryShare: 0.2 },
  { name: 'retryShare: 0.1', failing: FAILING, retryShare: 0.1 },
  { name: 'retryShare: 0.05', failing: FAILING, retryShare: 0.05 },
];

/** What a storm shows: ms from submission to the end of the first attempt, and how many runs completed. */
interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly completed: number;
  readonly retries: number;
}

const BROKERS: Readonly<
  Record<string, (url: string) => Promise<Parameters<typeof createQueue>[0]['broker']>>
> = {
  Redis: async (url) => createRedisBroker({ url }),
  Postgres: async (url) => {
    const client = new pg.Pool({ connectionString: url, max: 1 });
    await migrate(client);
    await client.end();
    return createPostgresBroker({ url });
  },
};

const rounds = roundsOr(3);
const servers = { Redis: await openRedisServer(), Postgres: await openPostgresServer() };
printHeader(
  'storm',
  Object.values(servers).map(({ version }) => version),
);
for (const [name, server] of Object.entries(servers)) {
  const all = ROWS.map((): Figures[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, row] of ROWS.entries()) all[index]?.push(await storm(name, server, row));
  const of = (figures: readonly Figures[], key: keyof Figures): number =>
    median(figures.map((one) => one[key]));
  const quiet = of(all[0] ?? [], 'p99');
  const rowOf = ({ name: label }: Row, figures: readonly Figures[]): readonly string[] => {
    const perSecond = (key: keyof Figures): string => (of(figures, key) / (STORM_MS / 1_000)).toFixed(0);
    const [p50, p99] = [of(figures, 'p50'), of(figures, 'p99')];
    const latencies = [`${p50.toFixed(0)} ms`, `${p99.toFixed(0)} ms`, (p99 / quiet).toFixed(2)];
    return [label, ...latencies, perSecond('completed'), perSecond('retries')];
  };
  printMarkdown(
    `New runs in a storm, on ${name} (${rounds} rounds)`,
    ['', 'first attempt ends after, p50', 'p99', 'over quiet', 'completed a second', 'retries a second'],
    ROWS.map((row, index) => rowOf(row, all[index] ?? [])),
  );
}
for (const server of Object.values(servers)) await server.stop();

async function storm(name: string, server: BenchServer, row: Row): Promise<Figures> {
  await server.clear();
  const open = BROKERS[name];
  if (open === undefined) throw new Error(`There is no broker for ${name}.`);
  const [producing, working] = [await open(server.url), await open(server.url)];
  const firstMs: number[] = [];
  let [completed, retries] = [0, 0];
  const task = defineTask({
    name: 'storm',
    ...(row.retryShare !== undefined && { retryShare: row.retryShare }),
    deadLetter: 'none',
    run: async ({ at, fails }: { at: number; fails: boolean }, { attempt }) => {
      await new Promise((resolve) => setTimeout(resolve, HANDLER_MS));
      if (attempt === 1) firstMs.push(performance.now() - at);
      else retries += 1;
      if (fails && attempt <= 3) throw new Error('out');
      completed += 1;
    },
  });
  const queue = createQueue({ broker: producing });
  const worker = createWorker({
    broker: working,
    tasks: [task],
    concurrency: SLOTS,
    signals: [],
    shutdownTimeout: '1s',
  });
  worker.start();
  const startedAt = performance.now();
  for (let sent = 0; sent < (PER_SECOND * STORM_MS) / 1_000; ) {
    const due = Math.min(
      ((performance.now() - startedAt) * PER_SECOND) / 1_000,
      (PER_SECOND * STORM_MS) / 1_000,
    );
    const at = performance.now();
    const payloads = Array.from({ length: Math.floor(due) - sent }, (_, index) => ({
      at,
      fails: ((sent + index) * 37) % 100 < row.failing,
    }));
    if (payloads.length > 0) await queue.submitMany(task, payloads);
    sent += payloads.length;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  const figures = { p50: quantile(firstMs, 0.5), p99: quantile(firstMs, 0.99), completed, retries };
  await worker.stop();
  await Promise.all([producing.close(), working.close()]);
  return figures;
}

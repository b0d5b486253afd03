/**
 * `npm run trace -- memory | redis | postgres`: which files and functions of ours one run with one retry goes through, from its
 * submission until it has completed, in a process whose worker is idle before. `--functions` lists each function, too.
 */
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createPostgresBroker, migrate } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import pg from 'pg';
import { openPostgres } from '../support/servers/postgres.ts';
import { openRedis } from '../support/servers/redis.ts';
import type { FileCalls } from './count-calls.ts';
import { CallCounter, sumOf } from './count-calls.ts';

/** One of an odd number of runs is in the middle: now and then a heartbeat or a poll is counted with one. */
const RUNS = 9;

const ENGINES = { memory: openMemory, redis: openOnRedis, postgres: openOnPostgres };
const [engine = '', ...flags] = process.argv.slice(2);
const open = ENGINES[engine as keyof typeof ENGINES]; // `undefined` for another name
if (open === undefined) {
  console.error(`npm run trace -- ${Object.keys(ENGINES).join(' | ')} [--functions]`);
  process.exit(1);
}

const { broker, close } = await open();
const traces = await traceRuns(broker);
await close();
const middle = traces.sort((a, b) => sumOf(a) - sumOf(b))[Math.floor(RUNS / 2)] ?? [];
print(middle);

async function traceRuns(broker: Awaited<ReturnType<typeof openMemory>>['broker']): Promise<FileCalls[][]> {
  const task = defineTask({
    name: 'traced',
    retry: { backoff: { type: 'constant', base: '20ms' }, jitter: 'none' },
    run: async (_: null, { attempt }) => {
      if (attempt === 1) throw new Error('the first attempt fails');
    },
  });
  const worker = createWorker({ broker, tasks: [task], signals: [] });
  const queue = createQueue({ broker });
  const runOnce = async (): Promise<void> => {
    const completed = new Promise<void>((resolve) => {
      const remove = worker.on('completed', () => resolve(remove()));
    });
    await queue.submit(task, null);
    await completed;
    await rest();
  };
  worker.start();
  for (let run = 0; run < RUNS; run += 1) await runOnce(); // what is prepared once is not counted
  const counter = new CallCounter();
  await counter.open();
  const taken: FileCalls[][] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await counter.take();
    await runOnce();
    taken.push([...(await counter.take())]);
  }
  counter.close();
  await worker.stop();
  return taken;
}

/** Until the worker waits for work again. */
function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

function print(files: readonly FileCalls[]): void {
  const folders = new Map<string, FileCalls[]>();
  for (const each of files) {
    const folder = each.file.slice(0, each.file.lastIndexOf('/'));
    folders.set(folder, [...(folders.get(folder) ?? []), each]);
  }
  const rows = [...folders].sort(([a], [b]) => a.localeCompare(b));
  for (const [folder, members] of rows) {
    console.log(`${String(sumOf(members)).padStart(6)}  ${String(members.length).padStart(3)}  ${folder}`);
    if (!flags.includes('--functions')) continue;
    for (const { file, functions } of members) {
      const names = functions.map(({ name, calls }) => `${name || '(anonymous)'} ${calls}`);
      console.log(`${''.padStart(15)}${file.slice(folder.length + 1)}: ${names.join(', ')}`);
    }
  }
  const functions = files.reduce((sum, file) => sum + file.functions.length, 0);
  console.log(`${engine}: ${sumOf(files)} calls of ${functions} functions in ${files.length} files`);
}

async function openMemory() {
  const memory = createMemoryBroker();
  return { broker: memory, close: () => memory.close() };
}

async function openOnRedis() {
  const server = await openRedis();
  const onRedis = await createRedisBroker({ url: server.url, prefix: 'trace' });
  return { broker: onRedis, close: () => onRedis.close().then(server.stop) };
}

async function openOnPostgres() {
  const server = await openPostgres();
  const pool = new pg.Pool({ connectionString: server.url });
  await migrate(pool, { schema: 'trace' });
  await pool.end();
  const onPostgres = await createPostgresBroker({ url: server.url, schema: 'trace' });
  return { broker: onPostgres, close: () => onPostgres.close().then(server.stop) };
}

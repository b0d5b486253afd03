/** `npm run bench -- redis`: our queue on Redis beside BullMQ and bee-queue, interleaved, on one private server. */
import { randomUUID } from 'node:crypto';
import { createRedisBroker } from '@retry/redis-queue';
import { createClient } from 'redis';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { beeQueue } from './queues/bee-queue.ts';
import { bullmq } from './queues/bullmq.ts';
import { ceiling } from './queues/ceiling.ts';
import type { Rows } from './queues/compare-delays.ts';
import { compareDelays } from './queues/compare-delays.ts';
import type { Contender } from './queues/contender.ts';
import { contendOnRetry } from './queues/on-retry.ts';
import type { ReadCpu } from './queues/scenarios.ts';
import { failTwice, submitInBulk, submitOneByOne, process as work } from './queues/scenarios.ts';
import { isWanted, printTable, roundsOr } from './report.ts';
import { inRounds } from './rounds.ts';

const server = await startPrivateRedis();
const observer = createClient({ url: server.url });
await observer.connect();

const ours = contendOnRetry('retry', async () => {
  const prefix = `bench-${randomUUID()}`;
  const broker = await createRedisBroker({ url: server.url, prefix });
  return { broker, close: () => broker.close() };
});
const contenders: readonly Contender[] = [ours, bullmq(server.port), beeQueue(server.port)];

/** Milliseconds of processor time, of this process and of the server. */
const readCpu: ReadCpu = async () => {
  const info = await observer.info('cpu');
  const server = [...info.matchAll(/used_cpu_(?:sys|user):([\d.]+)/g)].map(([, seconds]) => Number(seconds));
  const { user, system } = globalThis.process.cpuUsage();
  return (user + system) / 1_000 + server.reduce((sum, seconds) => sum + seconds, 0) * 1_000;
};

/** One table; each row is measured once per round, on an empty server. */
async function compare(title: string, unit: string, rows: Rows): Promise<void> {
  if (!isWanted(title)) return;
  const take = async (index: number): Promise<number> => {
    await observer.flushAll();
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
const sizes = new Map([
  ['retry', 4],
  ['bee-queue', 1.5],
]);
const sizeOf = ({ name }: Contender, count: number): number => Math.round(count * (sizes.get(name) ?? 1));

await compare('process, concurrency 100', 'runs/s', [
  ...contenders.map((one) => processRow(one, sizeOf(one, 30_000), 100)),
  { name: 'bare scripts (ceiling)', take: () => ceiling(server.url, 100_000) },
]);
await compare(
  'cpu, client and server',
  's per 10 000 runs',
  [...cpu].map(([name, seconds]) => ({ name, take: async () => seconds.shift() ?? Number.NaN })),
);
await compare(
  'submit, one by one',
  'runs/s',
  contenders.map((one) => ({ name: one.name, take: () => submitOneByOne(one, sizeOf(one, 10_000)) })),
);
await compare(
  'bulk submit',
  'runs/s',
  contenders.map((one) => ({ name: one.name, take: () => submitInBulk(one, sizeOf(one, 10_000)) })),
);
await compare(
  'retries, fail twice then succeed',
  'executions/s',
  contenders.map((one) => ({ name: one.name, take: () => failTwice(one, sizeOf(one, 6_000)) })),
);
await compare(
  'one at a time, concurrency 1',
  'runs/s',
  contenders.map((one) => processRow(one, 3_000, 1)),
);

await compareDelays(contenders, compare);

if (isWanted('memory')) {
  await observer.flushAll();
  const bench = await ours.open();
  const usedBytes = async (): Promise<number> =>
    Number(/used_memory:(\d+)/.exec(await observer.info('memory'))?.[1]);
  const payloads = Array.from({ length: 1_000 }, (_, index) => index);
  await bench.submitBulk(payloads);
  const before = await usedBytes();
  for (let count = 0; count < 100; count += 1) await bench.submitBulk(payloads);
  const bytes = ((await usedBytes()) - before) / 100_000;
  console.log(JSON.stringify({ title: 'memory per waiting run', unit: 'bytes', name: 'retry', bytes }));
  await bench.close();
}

await observer.close();
await server.stop();

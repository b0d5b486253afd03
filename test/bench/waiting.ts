/** A separate process: many calls that wait for their second attempt. Prints one number for the parent. */
import { libraries } from './libraries.ts';

const [title, name = ''] = process.argv.slice(2);
const make = libraries[name];
if (make === undefined) throw new Error(`There is no library called ${name}.`);

const HOUR_MS = 3_600_000;
const error = new Error('failed');
const controller = new AbortController();
let waiting = 0;
let settled = 0;

const realSetTimeout = globalThis.setTimeout;
globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
  waiting += 1;
  return realSetTimeout(...args);
}) as typeof setTimeout; // the same, and counted

console.log(
  title === 'memory'
    ? await bytesPerCall(100_000)
    : await abortTogether(Number(process.env['WAITERS'] ?? 40_000)),
);
process.exit();

async function bytesPerCall(calls: number): Promise<number> {
  const signal = name === 'withRetry with a signal' ? controller.signal : undefined;
  const call = start({ retries: 3, delayMs: HOUR_MS, signal });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let count = 0; count < calls; count += 1) call();
  await until(() => waiting === calls);
  globalThis.gc?.();
  globalThis.gc?.();
  return (process.memoryUsage().heapUsed - before) / calls;
}

async function abortTogether(calls: number): Promise<number> {
  const call = start({ retries: 3, delayMs: HOUR_MS, signal: controller.signal });
  const startedCpu = process.cpuUsage();
  for (let count = 0; count < calls; count += 1) call().catch(() => (settled += 1));
  await until(() => waiting === calls);
  controller.abort();
  await until(() => settled === calls);
  const { user, system } = process.cpuUsage(startedCpu);
  return (user + system) / 1_000;
}

function start(plan: {
  retries: number;
  delayMs: number;
  signal: AbortSignal | undefined;
}): () => Promise<unknown> {
  return make?.(() => Promise.reject(error), plan) ?? (() => Promise.resolve());
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
}
